// A widget's client on a canvas: the handshake, calls over the port, consents and state.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as errors from '../../service/browser/widgets/widget-errors.js';
import { HOST, SLOTS, frame, until } from './client-frame.mjs';

const OK = { success: true, data: { text: 'hello' } };
const CONSENT = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['s/mail'], authUrl: 'https://p.invalid/auth' };

test('it says hello with the nonce of its address, and is welcomed', async (t) => {
  const { client, posted, welcome } = frame(t, { wants: ['widgets'], slots: ['who'] });
  const hello = { type: 'widget-hello', v: 1, nonce: 'n1', wants: ['widgets'], slots: ['who'] };
  assert.deepEqual(posted, [{ message: hello, target: '*' }]);
  welcome();
  const { mode, widgetId, slots, context } = await client.ready;
  assert.deepEqual([mode, widgetId, slots, context.theme], ['canvas', 'A', SLOTS, 'light']);
});

const STRANGERS = {
  'another window': [{}, { source: {} }],
  'another nonce': [{ nonce: 'n2' }, {}],
  'no port': [{}, { ports: [] }],
  'a broken message': [{ slots: 'all' }, {}],
};
for (const [name, [fields, from]] of Object.entries(STRANGERS)) {
  test(`a welcome with ${name} is not taken`, async (t) => {
    const { client, welcome } = frame(t, { handshakeMs: 5 });
    welcome(fields, from);
    await assert.rejects(client.ready, errors.NoHostError);
  });
}

test('in a frame without a host, calls fail and no request is made', async (t) => {
  const fetch = () => assert.fail('a frame fell back to the network');
  const { client, posted } = frame(t, { hash: '', fetch, getToken: () => 'token' });
  await assert.rejects(client.post('current-weather', {}), errors.NoHostError);
  assert.deepEqual(posted, []);
});

test('a host that answers late is still taken', async (t) => {
  const { client, welcome, answer } = frame(t, { handshakeMs: 1 });
  await assert.rejects(client.ready, errors.NoHostError);
  welcome();
  answer(OK);
  assert.deepEqual(await client.post('current-weather', {}), OK.data);
});

test('a call goes over the port, with a copy of its body', async (t) => {
  const { client, welcome, answer, question, posted } = frame(t);
  welcome();
  const body = { city: 'Berlin' };
  const call = client.post('current-weather', body, { idempotencyKey: 'k' });
  body.city = 'Rome';
  const { requestId, ...request } = await question('widget-api-request');
  assert.deepEqual(request, {
    type: 'widget-api-request', method: 'POST', endpoint: 'current-weather', body: { city: 'Berlin' }, idempotencyKey: 'k',
  });
  assert.ok(requestId);
  assert.equal(posted.length, 1); // the hello
  await answer(OK);
  assert.deepEqual(await call, OK.data);
});

test('a get has its parameters in the query', async (t) => {
  const { client, welcome, answer, question } = frame(t);
  welcome();
  const call = client.get('geocode-city', { q: 'Bonn', limit: 2 });
  assert.deepEqual((await question('widget-api-request')).query, { q: 'Bonn', limit: 2 });
  await answer(OK);
  assert.deepEqual(await call, OK.data);
});

const BAD_CALLS = {
  'an address': ['https://evil.invalid/', {}, errors.ValidationError],
  'dots in its path': ['../credits', {}, errors.ValidationError],
  'a query in its name': ['current-weather?x=1', {}, errors.ValidationError],
  'a list for a body': ['current-weather', [], errors.ValidationError],
  'a function in its body': ['current-weather', { f() {} }, errors.ValidationError],
  'a body over a mebibyte': ['current-weather', { text: 'x'.repeat(1 << 20) }, errors.TooLargeError],
};
for (const [name, [endpoint, body, expected]] of Object.entries(BAD_CALLS)) {
  test(`a call with ${name} does not leave`, async (t) => {
    const { client, welcome, heard, tell } = frame(t);
    welcome();
    await assert.rejects(client.post(endpoint, body), expected);
    tell({ type: 'widget-ping' });
    await until(() => heard.length);
    assert.deepEqual(heard.map(({ type }) => type), ['widget-pong']);
  });
}

test('an error of the server is thrown with what is known of the call', async (t) => {
  const { client, welcome, answer } = frame(t);
  welcome();
  answer({ success: false, error: 'rate_limited', message: 'No.' }, { httpStatus: 429, retryAfterMs: 3000 });
  const error = await client.post('current-weather', {}).catch((thrown) => thrown);
  assert.ok(error instanceof errors.RateLimitError);
  assert.deepEqual([error.status, error.retryAfterMs, error.endpoint], [429, 3000, 'current-weather']);
});

test('raw envelopes are returned, those of errors too', async (t) => {
  const { client, welcome, answer } = frame(t, { rawEnvelope: true });
  welcome();
  const denied = { success: false, error: 'approval_denied', message: 'No.' };
  answer(denied);
  assert.deepEqual(await client.post('generate-text', {}), denied);
});

test('answers find their calls in any order', async (t) => {
  const { client, welcome, heard, tell } = frame(t);
  welcome();
  const calls = ['a', 'b', 'c'].map((name) => client.post(name, {}));
  await until(() => heard.length === 3);
  for (const { requestId, endpoint } of [...heard].reverse()) {
    tell({ type: 'widget-api-response', requestId, envelope: { success: true, data: endpoint } });
  }
  assert.deepEqual(await Promise.all(calls), ['a', 'b', 'c']);
});

test('a call that is stopped is cancelled at the host', async (t) => {
  const { client, welcome, question } = frame(t);
  welcome();
  const stopping = new AbortController();
  const call = client.post('generate-text', {}, { signal: stopping.signal });
  const { requestId } = await question('widget-api-request');
  stopping.abort();
  await assert.rejects(call, errors.AbortedError);
  assert.equal((await question('widget-api-cancel')).requestId, requestId);
});

test('a signal that has fired before lets nothing leave', async (t) => {
  const { client, welcome, heard, question } = frame(t);
  welcome();
  await assert.rejects(client.post('generate-text', {}, { signal: AbortSignal.abort() }), errors.AbortedError);
  await question('widget-api-cancel');
  assert.equal(heard.length, 1);
});

test('the time of an approval does not count', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { client, welcome, question, tell } = frame(t);
  welcome();
  const seen = [];
  const call = client.post('generate-text', {}, { timeoutMs: 1000, onStatus: (status) => seen.push(status) });
  const { requestId } = await question('widget-api-request');
  tell({ type: 'widget-api-status', requestId, status: 'awaiting_approval' });
  await until(() => seen.length === 1);
  t.mock.timers.tick(60_000);
  tell({ type: 'widget-api-status', requestId, status: 'running' });
  await until(() => seen.length === 2);
  t.mock.timers.tick(1_000);
  await assert.rejects(call, errors.TimeoutError);
  assert.deepEqual(seen, ['awaiting_approval', 'running']);
  await question('widget-api-cancel');
});

test('closing ends what is under way, and listens no more', async (t) => {
  const { client, welcome, question, listeners, heard } = frame(t);
  welcome();
  const call = client.post('generate-text', {});
  const state = client.state.get();
  client.records.subscribe('notes', {});
  await question('widget-records-subscribe');
  client.close();
  await assert.rejects(call, errors.AbortedError);
  await assert.rejects(state, errors.AbortedError);
  await question('widget-records-unsubscribe');
  await question('widget-api-cancel');
  assert.equal(heard.filter(({ type }) => type === 'widget-api-cancel').length, 1); // the state is no call
  await assert.rejects(client.post('generate-text', {}), errors.AbortedError);
  assert.equal(listeners.size, 0);
});

test('it answers pings, and ignores what it does not know', async (t) => {
  const { welcome, tell, question } = frame(t);
  welcome();
  for (const message of [null, 'text', { type: 'of tomorrow' }, { type: 'widget-api-response', requestId: 'nobody', envelope: OK }]) {
    tell(message);
  }
  tell({ type: 'widget-ping' });
  assert.deepEqual(await question('widget-pong'), { type: 'widget-pong' });
});

test('the widgets of the canvas are listed by its message, word for word', async (t) => {
  const { client, welcome, say, posted } = frame(t);
  welcome();
  const widgets = [{ id: 'B', shapeId: 'shape:B', templateHandle: 'map', templateName: 'Map', icon: '' }];
  const listed = client.listWidgets();
  await until(() => posted.length === 2);
  assert.deepEqual(posted[1], { message: { type: 'GET_CANVAS_WIDGETS' }, target: HOST });
  say({ type: 'CANVAS_WIDGETS_RESPONSE', widgets });
  assert.deepEqual(await listed, widgets);
});

test('without a host the list is empty', async (t) => {
  const { client } = frame(t, { hash: '' });
  assert.deepEqual(await client.listWidgets({ timeoutMs: 1 }), []);
});

test('who wants to know hears of changes on the canvas', (t) => {
  const { client, welcome, say } = frame(t);
  welcome();
  const seen = [];
  const stop = client.onWidgets((widgets) => seen.push(widgets.length));
  say({ type: 'CANVAS_WIDGETS_RESPONSE', widgets: [] });
  stop();
  say({ type: 'CANVAS_WIDGETS_RESPONSE', widgets: [] });
  assert.deepEqual(seen, [0]);
});

test('after the consent the call is made once more, and only once', async (t) => {
  const { client, welcome, heard, tell } = frame(t);
  welcome();
  const needed = { success: true, data: CONSENT };
  const work = client.withConnection(() => client.post('mail-list', {}));
  const ANSWERS = {
    'widget-api-request': { type: 'widget-api-response', envelope: needed, consentId: 'c1' },
    'widget-consent-request': { type: 'widget-consent-result', status: 'connected' },
    'widget-scopes-get': { type: 'widget-scopes', integrations: { cloudsuite: { mailRead: true } } },
  };
  const types = ['widget-api-request', 'widget-consent-request', 'widget-scopes-get', 'widget-api-request'];
  for (const [at, type] of types.entries()) {
    const message = await until(() => heard[at]);
    assert.equal(message.type, type);
    tell({ requestId: message.requestId, ...ANSWERS[type] });
  }
  await assert.rejects(work, errors.OAuthRequiredError);
  assert.equal(heard[1].consentId, 'c1');
  assert.equal(heard.length, 4);
  assert.equal(client.scopes.has('mailRead'), true);
});

test('a consent that was not given leaves the error', async (t) => {
  const { client, welcome, answer, question, tell, heard } = frame(t);
  welcome();
  answer({ success: true, data: CONSENT }, { consentId: 'c1' });
  const work = client.withConnection(() => client.post('mail-list', {}));
  const { requestId } = await question('widget-consent-request');
  tell({ type: 'widget-consent-result', requestId, status: 'cancelled' });
  await assert.rejects(work, errors.OAuthRequiredError);
  assert.equal(heard.filter(({ type }) => type === 'widget-api-request').length, 1);
});

test('the request for a consent leaves within the click', async (t) => {
  const { client, welcome } = frame(t);
  welcome();
  const sent = t.mock.method(MessagePort.prototype, 'postMessage');
  const need = new errors.OAuthRequiredError(CONSENT, { consentId: 'c1' });
  client.connect(need).catch(() => {});
  assert.equal(sent.mock.calls[0].arguments[0].type, 'widget-consent-request');
});

test('scopes are one flag each, and listeners hear of a change', async (t) => {
  const { client, welcome, question, tell } = frame(t);
  welcome();
  let changes = 0;
  client.scopes.onChange(() => (changes += 1));
  const refreshed = client.scopes.refresh();
  const { requestId } = await question('widget-scopes-get');
  tell({ type: 'widget-scopes', requestId, integrations: { cloudsuite: { calendar: true, mailRead: false } } });
  await refreshed;
  const flags = ['calendar', 'mailRead', 'drive'].map((flag) => client.scopes.has(flag));
  assert.deepEqual([flags, changes], [[true, false, false], 1]);
});

test('its state is kept by the canvas', async (t) => {
  const { client, welcome, question, tell } = frame(t);
  welcome();
  const stored = client.state.set({ page: 2 });
  const set = await question('widget-state-set');
  assert.deepEqual(set.value, { page: 2 });
  tell({ type: 'widget-state-set', requestId: set.requestId, ok: true });
  await stored;
  const read = client.state.get();
  const { requestId } = await question('widget-state-get');
  tell({ type: 'widget-state-get', requestId, value: { page: 2 } });
  assert.deepEqual(await read, { page: 2 });
});

test('a state that is too large, or that the canvas refuses, is an error', async (t) => {
  const { client, welcome, question, tell } = frame(t);
  welcome();
  await assert.rejects(client.state.set('x'.repeat(65_536)), errors.TooLargeError);
  const stored = client.state.set(1);
  const { requestId } = await question('widget-state-set');
  tell({ type: 'widget-state-set', requestId, ok: false, error: 'read_only' });
  await assert.rejects(stored, { code: 'read_only' });
});
