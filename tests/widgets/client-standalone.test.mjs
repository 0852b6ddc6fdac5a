// A widget's client without a canvas: calls go to the server with the user's token.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { baseUrlOf } from '../../service/browser/widgets/client-standalone-setup.js';
import { createWidgetClient } from '../../service/browser/widgets/widget-client.js';
import * as errors from '../../service/browser/widgets/widget-errors.js';

const OK = { success: true, data: { text: 'hello' } };
const CONSENT = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['s/mail'], authUrl: 'https://p.invalid/auth' };

/** A page at the top, and the requests that it has made. `answers` are used in turn, the last one again. */
function page({ answers = [OK], ...options } = {}) {
  const requests = [];
  const stored = new Map();
  const sessionStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
  const own = { location: { hash: '', pathname: '/app/test' }, sessionStorage };
  own.parent = own;
  const fetch = async (url, init) => {
    requests.push({ url, ...init });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return answer instanceof Response ? answer : Response.json(answer);
  };
  const base = { window: own, baseUrl: 'http://api.invalid', getToken: () => 'token-1', fetch };
  return { client: createWidgetClient({ ...base, ...options }), requests, stored };
}

const refusal = (status, body, headers) => Response.json({ success: false, message: 'No.', ...body }, { status, headers });

test('a page at the top is alone, without any message', async () => {
  const { client, requests } = page();
  const { mode, widgetId, slots } = await client.ready;
  assert.deepEqual([mode, widgetId, slots], ['standalone', null, []]);
  assert.deepEqual(await client.listWidgets(), []);
  client.setOutput('anything', { a: 1 });
  assert.throws(() => client.setOutput('anything', 'text'), errors.SlotError);
  assert.deepEqual(requests, []);
});

test('a client that is closed before its page’s part is loaded stays closed', async () => {
  const { client, requests } = page();
  client.close();
  await assert.rejects(client.ready, errors.AbortedError);
  await import('../../service/browser/widgets/client-standalone-setup.js');
  await assert.rejects(client.post('a'), errors.AbortedError);
  assert.deepEqual(requests, []);
});

test('a page for frames that is at the top has no canvas, and touches no storage', async () => {
  const own = { origin: 'null', location: { hash: '' } };
  Object.defineProperty(own, 'sessionStorage', { get: () => assert.fail('SecurityError') });
  own.parent = own;
  const { client, requests } = page({ window: own });
  await assert.rejects(client.ready, errors.NoHostError);
  await assert.rejects(client.post('a'), errors.NoHostError);
  assert.deepEqual(await client.listWidgets(), []);
  assert.deepEqual(requests, []);
});

test('a call has the user’s token, its key and its id', async () => {
  const { client, requests } = page();
  const seen = [];
  const options = { idempotencyKey: 'k1', onStatus: (status) => seen.push(status) };
  assert.deepEqual(await client.post('cloudsuite/mail-send', { to: 'a' }, options), OK.data);
  const [{ url, method, headers, body }] = requests;
  assert.deepEqual([url, method, body], ['http://api.invalid/api/integrations/cloudsuite/mail-send', 'POST', '{"to":"a"}']);
  assert.equal(headers.Authorization, 'Bearer token-1');
  assert.equal(headers['Idempotency-Key'], 'k1');
  assert.ok(headers['X-Request-Id']);
  assert.equal('X-Approval' in headers, false);
  assert.deepEqual(seen, ['running']);
});

test('a get has its parameters in the address', async () => {
  const { client, requests } = page();
  await client.get('geocode-city', { q: 'São Tomé', limit: 2 });
  assert.equal(requests[0].url, 'http://api.invalid/api/integrations/geocode-city?q=S%C3%A3o+Tom%C3%A9&limit=2');
  assert.equal(requests[0].body, undefined);
  await assert.rejects(client.get('geocode-city', { q: ['a'] }), errors.ValidationError);
});

test('the token is asked for before each request, also where that takes time', async () => {
  const tokens = ['first', 'second'];
  const { client, requests } = page({ getToken: async () => tokens.shift() });
  await client.post('a');
  await client.post('b');
  assert.deepEqual(requests.map(({ headers }) => headers.Authorization), ['Bearer first', 'Bearer second']);
});

test('a token is stored nowhere', async () => {
  const { client, stored } = page();
  await client.post('a');
  await client.state.set({ page: 2 });
  assert.deepEqual([...stored], [['widget-state:/app/test', '{"page":2}']]);
  assert.deepEqual(await client.state.get(), { page: 2 });
});

const REFUSALS = [
  [402, { error: 'insufficient_credits', needed: 5, available: 1 }, errors.InsufficientCreditsError],
  [400, { error: 'invalid_request', details: { to: ['Missing.'] } }, errors.ValidationError],
  [404, { error: 'unknown_endpoint' }, errors.WidgetError],
  [401, { error: 'unauthorized' }, errors.WidgetError],
  [502, { error: 'upstream_provider_error' }, errors.UpstreamError],
  [502, { error: 'upstream_provider_error', message: 'Token refresh failed: gone' }, errors.ReconnectRequiredError],
];
for (const [status, body, Class] of REFUSALS) {
  test(`a refusal with ${status} ${body.error} is a ${Class.name}`, async () => {
    const { client } = page({ answers: [refusal(status, body)] });
    const error = await client.post('mail-list', {}).catch((thrown) => thrown);
    assert.deepEqual([error.constructor, error.status], [Class, status]);
    assert.ok(error.requestId);
  });
}

test('a limit says how long to wait', async () => {
  const { client } = page({ answers: [refusal(429, { error: 'rate_limited' }, { 'Retry-After': '7' })] });
  await assert.rejects(client.post('a'), { code: 'rate_limited', retryAfterMs: 7000, retryable: true });
});

test('a page of a proxy is no answer of the service', async () => {
  const html = new Response('<html>', { status: 503 });
  await assert.rejects(page({ answers: [html] }).client.post('a'), errors.ProtocolError);
  await assert.rejects(page({ answers: [{ hello: 'world' }] }).client.post('a'), errors.ProtocolError);
});

test('without a connection the error says so', async () => {
  const fetch = () => Promise.reject(new TypeError('fetch failed'));
  const error = await page({ fetch }).client.post('mail-list').catch((thrown) => thrown);
  assert.deepEqual([error.constructor, error.endpoint], [errors.NetworkError, 'mail-list']);
});

/** Answers nothing, and fails as a browser does when the request is aborted. */
const hanging = (aborted) => (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => {
    aborted.push(true);
    reject(new DOMException('aborted', 'AbortError'));
  }));

test('a call that takes too long is aborted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const aborted = [];
  const call = page({ fetch: hanging(aborted) }).client.post('a', {}, { timeoutMs: 1000 });
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(1000);
  await assert.rejects(call, errors.TimeoutError);
  assert.deepEqual(aborted, [true]);
});

test('a call that is stopped is aborted', async () => {
  const aborted = [];
  const stopping = new AbortController();
  const call = page({ fetch: hanging(aborted) }).client.post('a', {}, { signal: stopping.signal });
  await new Promise((resolve) => setImmediate(resolve));
  stopping.abort();
  await assert.rejects(call, errors.AbortedError);
  assert.deepEqual(aborted, [true]);
});

test('after the consent the call is made once more', async () => {
  const needs = [];
  const consent = async (need) => (needs.push(need.scopes), { status: 'connected' });
  const answers = [{ success: true, data: CONSENT }, { cloudsuite: { mailRead: true } }, OK];
  const { client, requests } = page({ answers, consent });
  assert.deepEqual(await client.withConnection(() => client.post('mail-list')), OK.data);
  assert.deepEqual(requests.map(({ url }) => url.split('/integrations/')[1]), ['mail-list', 'status', 'mail-list']);
  assert.deepEqual(needs, [['s/mail']]);
  assert.equal(client.scopes.has('mailRead'), true);
});

test('an error that no consent mends is not tried again', async () => {
  const { client, requests } = page({ answers: [refusal(402, { error: 'insufficient_credits' })] });
  await assert.rejects(client.withConnection(() => client.post('a')), errors.InsufficientCreditsError);
  assert.equal(requests.length, 1);
});

test('the server is that of the page’s meta element, else that of the module', () => {
  const document = (content) => ({ baseURI: 'https://page.invalid/app/x?api-base=https://evil.invalid', querySelector: () => content && { getAttribute: () => content } });
  assert.equal(baseUrlOf(document('https://api.invalid/v1/')), 'https://api.invalid/v1');
  assert.equal(baseUrlOf(document('/mounted')), 'https://page.invalid/mounted');
  assert.equal(baseUrlOf(document(null)), new URL('../../service', import.meta.url).href);
});

test('a signal that has fired before makes no request', async () => {
  const { client, requests } = page();
  await assert.rejects(client.post('a', {}, { signal: AbortSignal.abort() }), errors.AbortedError);
  assert.deepEqual(requests, []);
});

test('a status that is refused is an error, and no flag', async () => {
  const { client } = page({ answers: [refusal(401, { error: 'unauthorized' })] });
  await assert.rejects(client.scopes.refresh(), { code: 'unauthorized', status: 401 });
  assert.equal(client.scopes.has('mailRead'), false);
});

test('a state that is no JSON is refused', async () => {
  const { client, stored } = page();
  await assert.rejects(client.state.set({ f() {} }), errors.ValidationError);
  assert.equal(stored.size, 0);
});
