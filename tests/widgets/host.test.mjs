// The pure parts of the host: rates, heights, drops, decisions.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createApprovals } from '../../service/browser/widgets/host-approvals.js';
import { createCalls } from '../../service/browser/widgets/host-calls.js';
import { createConsentNeeds } from '../../service/browser/widgets/host-consents.js';
import { createRateMeter } from '../../service/browser/widgets/host-rate.js';
import { createResizer } from '../../service/browser/widgets/host-resize.js';
import { weightOf } from '../../service/browser/widgets/message-weight.js';
import { createWiring } from '../../service/browser/widgets/host-wiring.js';
import { LIMITS } from '../../service/browser/widgets/messages.js';

const settle = () => new Promise((resolve) => setTimeout(resolve, 1));

/** How many messages a second, for so many seconds, are too many. */
function floods(perSecond, seconds, data) {
  let time = 0;
  const meter = createRateMeter(() => time);
  let refused = 0;
  for (let count = 0; count < perSecond * seconds; count += 1) {
    time += 1000 / perSecond;
    if (meter.isFlood(data)) refused += 1;
  }
  return refused;
}

test('a burst is no flood, and neither is what stays at the limit', () => {
  assert.equal(floods(LIMITS.burst, 1), 0);
  assert.equal(floods(LIMITS.messagesPerSecond, 60), 0);
  assert.ok(floods(5000, 3) > 0);
  assert.ok(floods(2 * LIMITS.messagesPerSecond, 60) > 0);
});

test('a paused widget that goes on sending is endless once, and again only after a reset', () => {
  const meter = createRateMeter(() => 0);
  const endless = (count) => Array.from({ length: count }, () => meter.isEndless()).filter(Boolean).length;
  assert.equal(endless(9_999), 0);
  assert.equal(endless(20_000), 1);
  meter.reset();
  assert.equal(endless(9_999), 0);
});

test('a large message counts as several, whatever it is made of, and at most as 501', () => {
  const shared = Array.from({ length: 1000 }, () => []);
  const circle = {};
  circle.self = circle;
  const flat = (count) => Array(count).fill(0);
  assert.equal(weightOf({ type: 'widget-output', slotId: 'a', value: { value: 'word' } }), 1);
  assert.equal(weightOf({ value: flat(20_000) }), 11);
  assert.equal(weightOf({ value: 'x'.repeat(200_000) }), 11);
  assert.equal(weightOf({ ['x'.repeat(200_000)]: 1 }), 11);
  assert.equal(weightOf(Object.fromEntries(flat(20_000).map((_, at) => [at, null]))), 25);
  assert.equal(weightOf(new Map([[flat(10_000), new Set([flat(10_000)])]])), 11);
  for (const most of [Array(2 ** 30), flat(5_000_000)]) assert.equal(weightOf(most), 501);
  for (const small of [shared.map(() => shared), circle]) assert.equal(weightOf(small), 53);
  assert.equal(weightOf(new Uint8Array(10_000_000)), 1);
});

test('large messages at a permitted number a second are a flood', () => {
  const body = { body: Array(20_000).fill(0) };
  assert.equal(floods(LIMITS.messagesPerSecond / 11, 60, body), 0);
  assert.ok(floods(LIMITS.messagesPerSecond, 6, body) > 0);
  const meter = createRateMeter(() => 0);
  const ended = Array.from({ length: 2000 }, () => meter.isEndless(body)).indexOf(true);
  assert.equal(ended, Math.ceil(10_000 / 11) - 1);
});

test('a widget that subscribes again and again is a flood, and one that shows all of its collections is none', () => {
  const subscribe = { type: 'widget-records-subscribe', requestId: 'r', collection: 'tasks' };
  assert.equal(floods(LIMITS.subscriptions, 2, subscribe), 0);
  assert.equal(floods(2, 60, subscribe), 0);
  assert.ok(floods(10, 10, subscribe) > 0);
  assert.equal(weightOf({ type: 'widget-records-unsubscribe', requestId: 'r' }), 1);
});

test('heights are clamped, and small changes are ignored', () => {
  let time = 0;
  const resize = createResizer(() => (time += 300));
  assert.equal(resize(300, 200), 300);
  assert.equal(resize(303, 300), null);
  assert.equal(resize(9e9, 300), 2000);
  assert.equal(resize(0, 300), 48);
});

test('a page whose height follows its frame comes to rest within a second', () => {
  let time = 0;
  const resize = createResizer(() => time);
  let height = 100;
  const seen = [];
  for (; time < 5000; time += 16) {
    const set = resize(height + 20, height);
    if (set !== null) seen.push(time);
    height = set ?? height;
  }
  assert.equal(seen.length, 3);
  assert.ok(Math.max(...seen) < 1000);
});

const POLICY = { approval: 'ask', credits: 2, title: 'Search', known: true };
const question = (more = {}) => ({
  widgetId: 'a', widgetName: 'A', endpoint: 'search-web', policy: POLICY, text: '{}', signal: new AbortController().signal, ...more,
});

/** Approvals whose questions are kept until the test answers them. */
function asking() {
  const asked = [];
  const approve = (request) => new Promise((answer) => asked.push({ request, answer }));
  return { asked, ...createApprovals(approve) };
}

test('what needs no approval asks nobody', async () => {
  const { asked, decide } = asking();
  const decisions = Array.from({ length: 100 }, () => decide(question({ policy: { ...POLICY, approval: 'auto' } })));
  assert.deepEqual(new Set(await Promise.all(decisions)), new Set(['auto']));
  assert.equal(asked.length, 0);
});

test('one question at a time; equal ones are one', async () => {
  const { asked, decide } = asking();
  const [first, again, other] = [decide(question()), decide(question()), decide(question({ text: '{"q":1}' }))];
  assert.equal(asked.length, 1);
  assert.equal(asked[0].request.times(), 2);
  asked[0].answer('once');
  assert.deepEqual(await Promise.all([first, again]), ['once', 'once']);
  await settle();
  asked[1].answer('deny');
  assert.equal(await other, 'deny');
});

test('once is for this text alone', async () => {
  const { asked, decide } = asking();
  const first = decide(question());
  asked[0].answer('once');
  await first;
  await settle();
  decide(question());
  assert.equal(asked.length, 2);
});

test('a session is for a widget and an endpoint, at the price that was shown', async () => {
  const { asked, decide, forget } = asking();
  const first = decide(question());
  asked[0].answer('session');
  assert.equal(await first, 'session');
  await settle();
  assert.equal(await decide(question({ text: '{"q":2}' })), 'session');
  assert.equal(asked.length, 1);
  decide(question({ policy: { ...POLICY, credits: 3 } }));
  assert.equal(asked.length, 2, 'the price has risen');
  asked[1].answer('deny');
  await settle();
  decide(question({ widgetId: 'b' }));
  assert.equal(asked.length, 3, 'another widget');
  asked[2].answer('deny');
  await settle();
  forget('a');
  decide(question());
  assert.equal(asked.length, 4, 'the widget has left its page');
});

test('a question that nobody waits for is withdrawn, and its answer allows nothing', async () => {
  const { asked, decide } = asking();
  const aborter = new AbortController();
  const waiting = decide(question({ signal: aborter.signal }));
  aborter.abort();
  assert.equal(await waiting, 'deny');
  assert.equal(asked[0].request.signal.aborted, true);
  asked[0].answer('session');
  await settle();
  decide(question());
  assert.equal(asked.length, 2);
});

test('a call that only asked for a consent is allowed once more, as it was shown', async () => {
  const { asked, decide, giveBack, forget } = asking();
  giveBack(question());
  decide(question({ text: '{"q":1}' }));
  assert.equal(asked.length, 1, 'another text');
  asked[0].answer('deny');
  await settle();
  assert.equal(await decide(question()), 'once');
  decide(question());
  assert.equal(asked.length, 2, 'it is used up');
  asked[1].answer('deny');
  await settle();
  giveBack(question());
  forget('a');
  decide(question());
  assert.equal(asked.length, 3, 'the widget has left its page');
});

/** The calls of a widget, with what they send to it and to the server. */
function calling({ envelope = { success: true, data: {} }, policy = { ...POLICY, approval: 'auto' }, endpoints } = {}) {
  const [sent, made] = [[], []];
  const server = {
    policy: () => policy,
    call: async (request) => {
      made.push(request);
      return envelope;
    },
  };
  const widget = { id: 'a', templateName: 'A', endpoints };
  const needs = createConsentNeeds();
  const approvals = createApprovals(async () => 'deny');
  const send = (message) => sent.push(message);
  return { sent, made, needs, ...createCalls({ widget, server, approvals, needs, send, onEvent() {} }) };
}

const request = (more = {}) => ({ requestId: 'r', method: 'POST', endpoint: 'search-web', body: { q: 'x' }, ...more });
const answerOf = ({ sent }) => sent.find(({ type }) => type === 'widget-api-response');

const REFUSALS = {
  unknown_endpoint: [{ policy: { ...POLICY, known: false } }, {}],
  forbidden: [{ endpoints: ['search-images'] }, {}],
  approval_denied: [{ policy: POLICY }, {}],
  too_large: [{}, { body: { q: 'x'.repeat(LIMITS.apiBodyBytes) } }],
};

for (const [code, [options, more]] of Object.entries(REFUSALS)) {
  test(`refused before anything leaves: ${code}`, async () => {
    const calls = calling(options);
    calls.receive(request(more));
    await settle();
    assert.equal(answerOf(calls).envelope.error, code);
    assert.equal(calls.made.length, 0);
  });
}

test('who calls what the manifest does not name is told so, also if no other template names it', async () => {
  const calls = calling({ endpoints: [], policy: { ...POLICY, known: false } });
  calls.receive(request());
  await settle();
  const { error, message } = answerOf(calls).envelope;
  assert.equal(error, 'unknown_endpoint');
  assert.match(message, /does not declare “search-web”. Add it to the template's manifest/);
});

test('what is sent is a copy of what was shown', async () => {
  const calls = calling();
  const body = { q: 'x' };
  calls.receive(request({ body }));
  body.q = 'changed';
  await settle();
  assert.equal(calls.made[0].body, '{"q":"x"}');
  assert.deepEqual(answerOf(calls).envelope, { success: true, data: {} });
});

test('a second request with the id of a running one is dropped', () => {
  const calls = calling();
  assert.equal(calls.receive(request()), null);
  assert.equal(calls.receive(request()), 'duplicate_request');
});

test('a widget gets the results of its own jobs and of no others', async () => {
  const calls = calling({ envelope: { success: true, data: { jobId: 'j1', status: 'running' } } });
  calls.receive(request());
  await settle();
  calls.receive(request({ requestId: 'own', method: 'GET', endpoint: 'jobs/j1', body: undefined }));
  calls.receive(request({ requestId: 'other', method: 'GET', endpoint: 'jobs/j2', body: undefined }));
  await settle();
  const errors = Object.fromEntries(calls.sent.map(({ requestId, envelope }) => [requestId, envelope?.error]));
  assert.deepEqual([errors.own, errors.other], [undefined, 'unknown_endpoint']);
});

test('an answer that asks for consent gets an id, by which only this widget knows it', async () => {
  const data = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['s'], authUrl: 'https://p.invalid/a' };
  const calls = calling({ envelope: { success: true, data } });
  calls.receive(request());
  await settle();
  const { consentId, envelope } = answerOf(calls);
  assert.deepEqual(envelope.data, data);
  assert.equal(calls.needs.of('a', consentId).authUrl, data.authUrl);
  assert.equal(calls.needs.of('b', consentId), null);
});

test('stored connections work once their widgets are there, in any order', () => {
  const states = [];
  const wiring = createWiring({ onChange: () => states.push(wiring.exportState()) });
  const slots = (direction) => [{ id: 's', direction, type: 'object', title: 'S' }];
  const stored = { id: 'c', from: { widgetId: 'a', slotId: 's' }, to: { widgetId: 'b', slotId: 's' }, later: 1 };
  const state = { version: 1, connections: [stored], widgets: { a: { state: { n: 1 }, later: 2 } } };
  assert.equal(wiring.importState(state).broken[0].reason, 'unknown_widget');
  wiring.add({ id: 'b', templateHandle: 'x', slots: slots('input') });
  assert.equal(wiring.current().connections.length, 0);
  wiring.add({ id: 'a', templateHandle: 'y', slots: slots('output') });
  assert.equal(wiring.current().connections.length, 1);
  const { connections, widgets } = wiring.exportState();
  assert.equal(connections[0].later, 1);
  assert.deepEqual(widgets.a, { state: { n: 1 }, later: 2, templateHandle: 'y', slotsVersion: 1 });
});

test('the states of widgets are those that were read last', () => {
  const wiring = createWiring({ onChange() {} });
  wiring.importState({ widgets: { a: { state: { n: 1 } }, b: { state: { n: 2 } } } });
  const { changed } = wiring.importState({ widgets: { a: { state: { n: 3 } }, b: {} } });
  assert.deepEqual(['a', 'b'].map(wiring.stateOf), [{ n: 3 }, null]);
  assert.deepEqual(changed.sort(), ['a', 'b']);
  assert.deepEqual(wiring.importState({ widgets: { a: { state: { n: 3 } } } }).changed, []);
});

test('a stored connection that can not be made does not keep its widgets from being mounted', () => {
  const wiring = createWiring({ onChange() {} });
  const slot = (widgetId) => ({ widgetId, slotId: 's' });
  const stored = [
    { id: 'c', from: slot('a'), to: slot('b') },
    { id: 'c', from: slot('a'), to: slot('d') }, // the same id again
    { id: 5, from: slot('a'), to: slot('e') },
    { from: slot('a'), to: slot('f') },
  ];
  wiring.importState({ connections: stored });
  const widget = (id, direction) => ({ id, templateHandle: 'x', slots: [{ id: 's', direction, type: 'object', title: 'S' }] });
  for (const id of ['b', 'd', 'e', 'f']) wiring.add(widget(id, 'input'));
  wiring.add(widget('a', 'output'));
  assert.deepEqual(wiring.current().connections.map(({ to }) => to.widgetId), ['b', 'f']);
  assert.deepEqual(wiring.exportState().connections, stored, 'as they were');
});

/** A wiring with two widgets that are connected, of which the first keeps a state and the value of its output. */
function wired() {
  const changes = [];
  const wiring = createWiring({ onChange: (id) => changes.push(id) });
  const slot = (direction) => [{ id: 's', direction, type: 'object', title: 'S', persist: direction === 'output' }];
  const a = { id: 'a', templateHandle: 'x', slots: slot('output') };
  wiring.add(a);
  wiring.add({ id: 'b', templateHandle: 'y', slots: slot('input'), version: 3 });
  wiring.connect({ widgetId: 'a', slotId: 's' }, { widgetId: 'b', slotId: 's' });
  wiring.storeState('a', { n: 1 });
  wiring.current().setOutput('a', 's', { v: 1 });
  wiring.keep('a');
  return { wiring, changes, a };
}

test('what a widget keeps is stored beside what others have, and once', () => {
  const { wiring, changes } = wired();
  wiring.keep('a'); // the same value again
  assert.deepEqual(changes, [undefined, 'a', 'a']);
  const { widgets } = wiring.exportState();
  assert.deepEqual(widgets.a, { templateHandle: 'x', slotsVersion: 1, state: { n: 1 }, values: { s: { v: 1 } } });
  assert.deepEqual(widgets.b, { templateHandle: 'y', slotsVersion: 3 });
  assert.equal(wiring.storeState('a', { f: '\ud800' }), 'not_json');
  assert.deepEqual([changes.length, wiring.stateOf('a')], [3, { n: 1 }]);
});

test('a widget that is removed leaves nothing for another of its id, nor in what a canvas may keep', () => {
  const { wiring, changes, a } = wired();
  wiring.importState(wiring.exportState());
  wiring.remove('a');
  assert.equal(changes.at(-1), undefined);
  assert.deepEqual(wiring.exportState(), { version: 1, connections: [], widgets: { b: { templateHandle: 'y', slotsVersion: 3 } } });
  assert.deepEqual([wiring.add(a), wiring.stateOf('a'), wiring.current().lastOutput({ widgetId: 'a', slotId: 's' })], [[], null, undefined]);
  const large = { text: 'x'.repeat(65_000) };
  for (let at = 0; at < 30; at += 1) {
    wiring.add({ ...a, id: `w${at}` });
    assert.equal(wiring.storeState(`w${at}`, large), null, `widget ${at}`);
    wiring.current().setOutput(`w${at}`, 's', large);
    wiring.keep(`w${at}`);
    wiring.remove(`w${at}`);
  }
});

test('a stored value comes back with its widget, and goes on to the widgets that are connected', () => {
  const { wiring, a } = wired();
  const stored = wiring.exportState();
  const other = createWiring({ onChange() {} });
  other.importState(stored);
  other.add({ id: 'b', templateHandle: 'y', slots: [{ id: 's', direction: 'input', type: 'object', title: 'S' }] });
  assert.deepEqual(other.add(a), [{ widgetId: 'b', slotId: 's', value: { v: 1 } }]);
  assert.deepEqual(other.exportState().widgets.a, stored.widgets.a);
});
