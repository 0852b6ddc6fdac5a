// What goes wrong rarely in a widget's client: late, repeated and mixed-up messages.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createWait } from '../../service/browser/widgets/client-wait.js';
import * as errors from '../../service/browser/widgets/widget-errors.js';
import { frame, until } from './client-frame.mjs';

const OK = { success: true, data: { text: 'hello' } };
const CONSENT = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['s/mail'], authUrl: 'https://p.invalid/auth' };
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a second welcome changes nothing', async (t) => {
  const { client, welcome } = frame(t);
  welcome();
  welcome({ widgetId: 'B' });
  assert.equal((await client.ready).widgetId, 'A');
  assert.deepEqual(await client.ready, await client.ready);
});

test('a host of an opaque origin can be answered', (t) => {
  const { client, welcome, posted } = frame(t);
  welcome({}, { origin: 'null' });
  client.setOutput('person', { name: 'Ada' });
  assert.equal(posted[1].target, '*');
});

test('a call may wait as long as it likes', async () => {
  for (const timeoutMs of [Infinity, 2 ** 31]) {
    const wait = createWait({ timeoutMs, onGivenUp: () => assert.fail('given up'), facts: {} });
    wait.run();
    await new Promise((resolve) => setTimeout(resolve, 20));
    wait.succeed(1);
    assert.equal(await wait.promise, 1);
  }
});

test('without a nonce the client does not wait for a host', async (t) => {
  const { client } = frame(t, { hash: '', handshakeMs: 1e9 });
  await assert.rejects(client.ready, errors.NoHostError);
});

test('an answer to another question is not taken', async (t) => {
  const { client, welcome, question, tell } = frame(t);
  welcome();
  const call = client.post('a');
  const { requestId } = await question('widget-api-request');
  tell({ type: 'widget-state-get', requestId, value: 1 });
  tell({ type: 'widget-api-response', requestId, envelope: OK });
  assert.deepEqual(await call, OK.data);
});

test('the host tells of its new look', async (t) => {
  const { client, welcome, tell } = frame(t);
  welcome();
  const seen = [];
  const stop = client.onContext(({ theme }) => seen.push(theme));
  const say = (theme) => tell({ type: 'widget-host-context', context: { theme, locale: 'en', cssVars: {} } });
  say('dark');
  await until(() => seen.length);
  stop();
  say('light');
  await settled();
  assert.deepEqual(seen, ['dark']);
});

test('only the time that it runs is counted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const pass = (milliseconds) => ((now += milliseconds), t.mock.timers.tick(milliseconds));
  let ended = 0;
  const wait = createWait({ timeoutMs: 100, onGivenUp: () => (ended += 1), facts: {} });
  wait.run();
  pass(60);
  wait.pause();
  wait.pause();
  pass(1000);
  wait.run();
  wait.run();
  pass(39);
  assert.equal(ended, 0);
  pass(1);
  wait.abort();
  await assert.rejects(wait.promise, errors.TimeoutError);
  assert.equal(ended, 1);
});

test('a call that has ended no longer listens to its signal', async (t) => {
  const { signal } = new AbortController();
  const removed = t.mock.method(signal, 'removeEventListener');
  const wait = createWait({ signal, timeoutMs: 100, onGivenUp: () => assert.fail(), facts: {} });
  wait.succeed(1);
  assert.equal(await wait.promise, 1);
  assert.equal(removed.mock.callCount(), 1);
});

test('a key is a text of a limited length', async (t) => {
  const { client, welcome } = frame(t);
  welcome();
  for (const idempotencyKey of ['', 'k'.repeat(129), 5]) {
    await assert.rejects(client.post('a', {}, { idempotencyKey }), errors.ValidationError);
  }
});

test('accounts whose tokens are lost are connected anew, and the call is repeated', async (t) => {
  const { client, welcome, heard, tell } = frame(t);
  welcome();
  const lost = { success: false, error: 'upstream_provider_error', message: 'Token refresh failed: gone' };
  const answers = [
    { type: 'widget-api-response', envelope: lost, httpStatus: 502, consentId: 'c1' },
    { type: 'widget-consent-result', status: 'connected' },
    { type: 'widget-scopes', integrations: {} },
    { type: 'widget-api-response', envelope: OK },
  ];
  const work = client.withConnection(() => client.post('mail-list'));
  for (const [at, answer] of answers.entries()) {
    const { requestId } = await until(() => heard[at]);
    tell({ requestId, ...answer });
  }
  assert.deepEqual(await work, OK.data);
  assert.equal(heard[1].consentId, 'c1');
});

test('two calls that need the same consent ask for it once', async (t) => {
  const { client, welcome, heard, tell } = frame(t);
  welcome();
  const need = new errors.OAuthRequiredError(CONSENT, { consentId: 'c1' });
  const other = new errors.OAuthRequiredError({ ...CONSENT, scopes: ['s/drive'] }, { consentId: 'c2' });
  const all = [need, need, other].map((one) => client.connect(one));
  await until(() => heard.length === 2);
  for (const { requestId } of [...heard]) tell({ type: 'widget-consent-result', requestId, status: 'cancelled' });
  assert.deepEqual((await Promise.all(all)).map(({ status }) => status), ['cancelled', 'cancelled', 'cancelled']);
  const again = client.connect(need);
  await until(() => heard.length === 3);
  tell({ type: 'widget-consent-result', requestId: heard[2].requestId, status: 'cancelled' });
  await again;
});

test('an error of the widget itself asks for no consent', async (t) => {
  const { client, welcome, heard, question, tell } = frame(t);
  welcome();
  const own = new TypeError('of the widget');
  await assert.rejects(client.withConnection(() => Promise.reject(own)), own);
  tell({ type: 'widget-ping' });
  await question('widget-pong');
  assert.equal(heard.length, 1);
});

test('a consent that the canvas did not offer is an error', async (t) => {
  const { client, welcome } = frame(t);
  welcome();
  await assert.rejects(client.connect(new errors.OAuthRequiredError(CONSENT, {})), { code: 'unknown_consent' });
});

test('a consent without an outcome ends by itself', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { client, welcome, question } = frame(t);
  welcome();
  const result = client.connect(new errors.OAuthRequiredError(CONSENT, { consentId: 'c1' }));
  await question('widget-consent-request');
  t.mock.timers.tick(200_000);
  assert.deepEqual(await result, { status: 'timeout' });
});

test('a listener that stops at once is not called', async (t) => {
  const { client, welcome, say } = frame(t);
  welcome();
  say({ type: 'widget-io-input-update', slotId: 'who', value: { name: 'Ada' } });
  const seen = [];
  client.onInput('who', (value) => seen.push(value))();
  await settled();
  assert.deepEqual(seen, []);
});

test('an older status does not replace a newer one', async (t) => {
  const { client, welcome, heard, tell } = frame(t);
  welcome();
  const both = [client.scopes.refresh(), client.scopes.refresh()];
  const [first, second] = await until(() => heard.length === 2 && heard);
  const answer = ({ requestId }, calendar) => tell({ type: 'widget-scopes', requestId, integrations: { cloudsuite: { calendar } } });
  answer(second, true);
  answer(first, false);
  await Promise.all(both);
  assert.equal(client.scopes.has('calendar'), true);
});

test('a status that was read is known, also where a later one is still being read', async (t) => {
  const { client, welcome, heard, tell } = frame(t);
  welcome();
  const reading = client.scopes.refresh();
  client.scopes.refresh().catch(() => {}); // ends with the test
  const [{ requestId }] = await until(() => heard.length === 2 && heard);
  tell({ type: 'widget-scopes', requestId, integrations: { cloudsuite: { calendar: true } } });
  await reading;
  assert.equal(client.scopes.has('calendar'), true);
});

test('a question for the widgets that stays unanswered on a canvas is an error', async (t) => {
  const { client, welcome } = frame(t);
  welcome();
  await assert.rejects(client.listWidgets({ timeoutMs: 1 }), errors.TimeoutError);
});

for (const [type, answer, ask] of [
  ['widget-scopes-get', { type: 'widget-scopes', integrations: {} }, (client) => client.scopes.refresh()],
  [
    'widget-consent-request',
    { type: 'widget-consent-result', status: 'cancelled' },
    (client) => client.connect(new errors.OAuthRequiredError({ provider: 'p', scopes: [] }, { consentId: 'c' })),
  ],
]) {
  test(`a host that fails at ${type} says why`, async (t) => {
    const { client, welcome, question, tell } = frame(t);
    welcome();
    const asked = ask(client);
    const { requestId } = await question(type);
    tell({ ...answer, requestId, error: 'network', message: 'No network.' });
    await assert.rejects(asked, (error) => error instanceof errors.NetworkError && error.message === 'No network.');
  });
}
