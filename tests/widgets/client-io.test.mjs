// The slots of a widget's client: what leaves, what is refused before it leaves, what is kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { SlotError, TooLargeError } from '../../service/browser/widgets/widget-errors.js';
import { HOST, frame, until } from './client-frame.mjs';

const ADA = { name: 'Ada' };
const input = (value, slotId = 'who') => ({ type: 'widget-io-input-update', slotId, value });
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an output is the fixed message, to the host’s own origin', (t) => {
  const { client, welcome, posted } = frame(t);
  welcome();
  client.setOutput('person', ADA);
  const message = { type: 'widget-io-output-update', slotId: 'person', value: ADA };
  assert.deepEqual(posted[1], { message, target: HOST });
});

test('a forced output goes over the port', async (t) => {
  const { client, welcome, question, posted } = frame(t);
  welcome();
  client.setOutput('person', ADA, { force: true });
  const message = await question('widget-output-force');
  assert.deepEqual(message, { type: 'widget-output-force', slotId: 'person', value: ADA });
  assert.equal(posted.length, 1);
});

const circle = {};
circle.self = circle;
const REFUSED = {
  'no object': ['person', 'Ada', SlotError],
  null: ['person', null, SlotError],
  'a list': ['person', [ADA], SlotError],
  'a circle': ['person', circle, SlotError],
  'a function': ['person', { f() {} }, SlotError],
  'a text for a number': ['count', { value: '3' }, SlotError],
  'a number without its wrapping': ['count', { count: 3 }, SlotError],
  'a slot that is none': ['nothing', ADA, SlotError],
  'an input': ['who', ADA, SlotError],
  'a long name': ['p'.repeat(129), ADA, SlotError],
  'a large value': ['person', { text: 'x'.repeat(262_144) }, TooLargeError],
};
for (const [name, [slotId, value, expected]] of Object.entries(REFUSED)) {
  test(`an output with ${name} is refused before it leaves`, (t) => {
    const { client, welcome, posted } = frame(t);
    welcome();
    assert.throws(() => client.setOutput(slotId, value), expected);
    assert.equal(posted.length, 1); // the hello
  });
}

test('outputs before the welcome wait, the last of each slot', (t) => {
  const { client, welcome, posted } = frame(t);
  client.setOutput('person', { name: 'Bob' });
  client.setOutput('person', ADA);
  client.setOutput('count', { value: 1 });
  assert.equal(posted.length, 1);
  welcome();
  assert.deepEqual(posted.slice(1).map(({ message }) => message.value), [ADA, { value: 1 }]);
});

test('a wrong output before the welcome is reported, and the others leave', (t) => {
  const report = t.mock.method(console, 'error', () => {});
  const { client, welcome, posted } = frame(t);
  client.setOutput('nothing', ADA);
  client.setOutput('person', ADA);
  welcome();
  assert.equal(posted.length, 2);
  assert.ok(report.mock.calls[0].arguments[0] instanceof SlotError);
});

test('a listener to an input that the manifest does not have is reported, early or late', (t) => {
  const report = t.mock.method(console, 'error', () => {});
  const { client, welcome } = frame(t);
  client.onInput('nobody', () => {});
  client.onInput('who', () => {});
  welcome();
  client.onInput('person', () => {}); // an output
  const said = report.mock.calls.map(({ arguments: [error] }) => error.message.match(/“(.*)”/)[1]);
  assert.deepEqual(said, ['nobody', 'person']);
});

test('an input is given to its listeners until they stop', async (t) => {
  const { client, welcome, say } = frame(t);
  welcome();
  const seen = [];
  const stop = client.onInput('who', (value) => seen.push(value));
  say(input(ADA));
  say(input({ name: 'other' }, 'elsewhere'));
  await until(() => seen.length);
  stop();
  say(input({ name: 'Bob' }));
  await settled();
  assert.deepEqual(seen, [ADA]);
});

test('a late listener gets the last value, and no other', async (t) => {
  const { client, welcome, say } = frame(t);
  welcome();
  say(input({ name: 'Bob' }));
  say(input(ADA));
  const seen = [];
  client.onInput('who', (value) => seen.push(value));
  assert.deepEqual(seen, []); // not before it knows how to stop
  await settled();
  assert.deepEqual(seen, [ADA]);
});

test('a listener that changes its value changes nobody else’s', async (t) => {
  const { client, welcome, say } = frame(t);
  welcome();
  say(input({ tags: ['a'] }));
  client.onInput('who', (value) => value.tags.push('b'));
  await settled();
  const seen = [];
  client.onInput('who', (value) => seen.push(value));
  await settled();
  assert.deepEqual(seen, [{ tags: ['a'] }]);
});

const STRANGERS = { 'a sibling': { source: {} }, 'another page in the host’s window': { origin: 'http://evil.invalid' } };
for (const [name, from] of Object.entries(STRANGERS)) {
  test(`an input from ${name} is ignored`, async (t) => {
    const { client, welcome, say } = frame(t);
    welcome();
    const seen = [];
    client.onInput('who', (value) => seen.push(value));
    say(input(ADA), from);
    await settled();
    assert.deepEqual(seen, []);
  });
}

test('an input before the welcome is ignored', async (t) => {
  const { client, say } = frame(t);
  const seen = [];
  client.onInput('who', (value) => seen.push(value));
  say(input(ADA));
  await settled();
  assert.deepEqual(seen, []);
});

test('of outputs before the welcome that which was set last leaves last, and a forced one stays forced', async (t) => {
  const { client, welcome, posted } = frame(t);
  client.setOutput('person', { name: 'Bob' });
  client.setOutput('count', { value: 1 });
  client.setOutput('person', ADA);
  welcome();
  assert.deepEqual(posted.slice(1).map(({ message }) => message.slotId), ['count', 'person']);
  const late = frame(t);
  late.client.setOutput('count', { value: 1 }, { force: true });
  late.client.setOutput('count', { value: 2 });
  late.welcome();
  assert.deepEqual((await late.question('widget-output-force')).value, { value: 2 });
});
