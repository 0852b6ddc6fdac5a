// Calls of widgets at the host: what is asked before they leave, and whom their answers reach.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { createApprovals } from '../../service/browser/widgets/host-approvals.js';
import { createCalls } from '../../service/browser/widgets/host-calls.js';
import { createConsentNeeds } from '../../service/browser/widgets/host-consents.js';
import { createRefusalCounter } from '../../service/browser/widgets/host-refusals.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));
const POLICY = { approval: 'ask', credits: 2, title: 'Search', known: true, payer: 'user' };
const request = (more = {}) => ({ requestId: 'r', method: 'POST', endpoint: 'search-web', body: { q: 'x' }, ...more });

/** The calls of a widget whose user and server answer when the test says so. */
function scene({ policy = POLICY, price, endpoints } = {}) {
  const [sent, asked, made] = [[], [], []];
  const server = {
    policy: () => one.policy,
    price,
    call: (call) => new Promise((answer, fail) => made.push({ call, answer, fail })),
  };
  const refusals = createRefusalCounter(() => {});
  const approvals = createApprovals((shown) => new Promise((answer) => asked.push({ shown, answer })), refusals);
  const needs = createConsentNeeds();
  const context = { server, approvals, needs, send: (message) => sent.push(message), onEvent() {} };
  const calls = createCalls({ widget: { id: 'a', templateName: 'A', endpoints }, ...context });
  const one = { calls, approvals, needs, sent, asked, made, policy };
  one.envelopes = () => sent.filter(({ type }) => type === 'widget-api-response').map(({ envelope }) => envelope.error ?? envelope.data);
  return one;
}

/** @param {ReturnType<typeof scene>} one @param {string} decision on its newest question */
async function decide({ asked }, decision) {
  asked.at(-1).answer(decision);
  await settle();
}

test('a metered call asks with the price of this very body, and is refused where that is refused', async () => {
  const priced = [];
  const one = scene({ policy: { ...POLICY, metered: true }, price: async (...call) => (priced.push(call.slice(0, 2)), 7) });
  one.calls.receive(request());
  await settle();
  const { widgetName, policy, text } = one.asked[0].shown;
  assert.deepEqual([priced, text], [[['search-web', '{"q":"x"}']], '{"q":"x"}']);
  assert.deepEqual([widgetName, policy], ['A', { ...POLICY, metered: true, credits: 7 }]);
  const refusal = new ApiError(400, { error: 'invalid_request', message: 'No q.' });
  const other = scene({ policy: { ...POLICY, metered: true }, price: async () => { throw refusal; } });
  other.calls.receive(request());
  await settle();
  assert.deepEqual([other.envelopes(), other.asked.length, other.made.length], [['invalid_request'], 0, 0]);
});

test('a price is asked for only where the user is asked, and only for what is sent as a body', async () => {
  const cases = [[{ metered: true, approval: 'auto' }, 'POST'], [{ metered: true }, 'GET'], [{}, 'POST']];
  for (const [more, method] of cases) {
    const one = scene({ policy: { ...POLICY, ...more }, price: () => assert.fail('asked') });
    one.calls.receive(request({ method }));
    await settle();
    assert.equal(one.asked.length + one.made.length, 1);
  }
});

test('a widget hears when its user is asked, and when the call runs', async () => {
  const one = scene();
  one.calls.receive(request());
  const statuses = () => one.sent.map(({ type, requestId, status }) => [type, requestId, status]);
  assert.deepEqual(statuses(), [['widget-api-status', 'r', 'awaiting_approval']]);
  await decide(one, 'once');
  assert.deepEqual(statuses().slice(1), [['widget-api-status', 'r', 'running']]);
});

test('a widget that declares its endpoints calls them, and looks at the jobs that they begin', async () => {
  const one = scene({ policy: { ...POLICY, approval: 'auto' }, endpoints: ['search-web'] });
  one.calls.receive(request());
  one.calls.receive(request({ requestId: 'other', endpoint: 'search-images' }));
  await settle();
  one.made[0].answer({ success: true, data: { jobId: 'j', status: 'running' } });
  await settle();
  one.calls.receive(request({ requestId: 'job', method: 'GET', endpoint: 'jobs/j', body: undefined }));
  await settle();
  assert.deepEqual([one.envelopes()[0], one.made.map(({ call }) => call.endpoint)], ['forbidden', ['search-web', 'jobs/j']]);
});

test('tokens that can’t be refreshed ask for a consent of this call’s own integration', async () => {
  const one = scene({ policy: { ...POLICY, approval: 'auto', integration: 'cloudsuite' } });
  one.calls.receive(request());
  await settle();
  one.made[0].fail(new ApiError(502, { error: 'upstream_provider_error', message: 'Token refresh failed.' }));
  await settle();
  const { signal, ...need } = one.needs.of('a', one.sent.at(-1).consentId);
  assert.deepEqual(need, { widgetId: 'a', endpoint: 'search-web', provider: 'cloudsuite', scopes: [], renew: true });
});

const CHANGES = {
  'costs more': [{ credits: 3 }, 2],
  'costs less': [{ credits: 1 }, 1],
  'is paid by the owner': [{ payer: 'owner' }, 1],
};
for (const [name, [change, questions]] of Object.entries(CHANGES)) {
  test(`a call that ${name} when the user has answered is asked about ${questions > 1 ? 'again' : 'once'}`, async () => {
    const one = scene();
    one.calls.receive(request());
    one.policy = { ...POLICY, ...change };
    await decide(one, 'once');
    assert.deepEqual([one.asked.length, one.made.length], [questions, 2 - questions]);
  });
}

test('what the owner was to pay is asked about again when the user is to pay it', async () => {
  const one = scene({ policy: { ...POLICY, payer: 'owner' } });
  one.calls.receive(request());
  one.policy = POLICY;
  await decide(one, 'session');
  assert.deepEqual([one.asked.length, one.made.length], [2, 0]);
});

test('an answer for a document that is gone reaches no other, not even by the same id', async () => {
  const one = scene({ policy: { ...POLICY, approval: 'auto' } });
  one.calls.receive(request());
  await settle();
  one.calls.abort();
  assert.equal(one.made[0].call.signal.aborted, true);
  assert.equal(one.calls.receive(request()), null);
  await settle();
  one.made[0].answer({ success: true, data: 'old' });
  await settle();
  assert.deepEqual(one.envelopes(), []);
  one.made[1].answer({ success: true, data: 'new' });
  await settle();
  assert.deepEqual(one.envelopes(), ['new']);
});

test('a call that is cancelled while it is asked about is not made, whatever the answer', async () => {
  const one = scene();
  one.calls.receive(request());
  assert.equal(one.calls.cancel('r'), true);
  await decide(one, 'once');
  assert.deepEqual([one.made, one.envelopes()], [[], []]);
  assert.equal(one.calls.cancel('r'), false);
});

test('a call that has only asked for a consent is made again without a question', async () => {
  const data = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['s'], authUrl: 'https://p.invalid/a' };
  const one = scene();
  one.calls.receive(request());
  await decide(one, 'once');
  one.made[0].answer({ success: true, data });
  await settle();
  one.calls.receive(request({ requestId: 'again' }));
  await settle();
  assert.deepEqual([one.asked.length, one.made.length, one.made[1].call.approval], [1, 2, 'once']);
  one.approvals.forget('b');
  one.made[1].answer({ success: true, data: 1 });
  await settle();
  one.calls.receive(request({ requestId: 'more' }));
  await settle();
  assert.equal(one.asked.length, 2, 'it has been made');
});

test('a refusal of the server is told with its status, its wait and its facts, and never as a success', async () => {
  const one = scene({ policy: { ...POLICY, approval: 'auto' } });
  for (const requestId of ['a', 'b', 'c']) one.calls.receive(request({ requestId }));
  await settle();
  one.made[0].fail(new ApiError(429, { error: 'rate_limited', message: 'Wait.', success: true, used: 5 }, 3));
  one.made[1].fail(new NetworkError('Away.'));
  one.made[2].fail(new ApiError(404, { error: 'not_found', message: 'None.' }));
  await settle();
  const answers = one.sent.filter(({ type }) => type === 'widget-api-response').map(({ type, requestId, ...answer }) => answer);
  assert.deepEqual(answers, [
    { envelope: { error: 'rate_limited', message: 'Wait.', success: false, used: 5 }, httpStatus: 429, retryAfterMs: 3000 },
    { envelope: { success: false, error: 'network', message: 'Away.' } },
    { envelope: { success: false, error: 'not_found', message: 'None.' }, httpStatus: 404 },
  ]);
});

test('a widget makes 32 calls at once, and another when one has ended', async () => {
  const one = scene({ policy: { ...POLICY, approval: 'auto' } });
  for (let at = 0; at < 33; at += 1) one.calls.receive(request({ requestId: `r${at}` }));
  await settle();
  assert.deepEqual([one.made.length, one.envelopes()], [32, ['rate_limited']]);
  one.made[0].answer({ success: true, data: 0 });
  await settle();
  one.calls.receive(request({ requestId: 'next' }));
  await settle();
  assert.equal(one.made.length, 33);
});

test('a query stays a query, a body a text, and the key goes along', async () => {
  const one = scene({ policy: { ...POLICY, approval: 'auto' } });
  one.calls.receive(request({ requestId: 'g', method: 'GET', body: undefined, query: { q: 'x', page: 2 } }));
  one.calls.receive(request({ requestId: 'p', idempotencyKey: 'k' }));
  await settle();
  const [get, post] = one.made.map(({ call: { signal, ...call } }) => call);
  const both = { widgetId: 'a', endpoint: 'search-web', approval: 'auto' };
  assert.deepEqual(get, { ...both, method: 'GET', query: { q: 'x', page: 2 }, idempotencyKey: undefined });
  assert.deepEqual(post, { ...both, method: 'POST', body: '{"q":"x"}', idempotencyKey: 'k' });
});

const question = (more = {}) => ({
  widgetId: 'a', widgetName: 'A', endpoint: 'search-web', policy: POLICY, text: '{}', signal: new AbortController().signal, ...more,
});

test('what was allowed until the page closes answers the questions that wait, at its price', async () => {
  const { approvals, asked } = scene();
  const first = approvals.decide(question());
  const second = approvals.decide(question({ text: '{"q":1}' }));
  const dear = approvals.decide(question({ text: '{"q":2}', policy: { ...POLICY, credits: 3 } }));
  await decide({ asked }, 'session');
  assert.deepEqual([await first, await second, asked.length], ['session', 'session', 2]);
  await decide({ asked }, 'deny');
  assert.equal(await dear, 'deny');
});

for (const isTakenBack of [false, true]) {
  test(`a widget ${isTakenBack ? 'that has taken back' : 'to which the user has refused'} three questions in a row asks no more, and others do`, async () => {
    const { approvals, asked } = scene();
    for (let at = 0; at < 3; at += 1) {
      const aborter = new AbortController();
      const decision = approvals.decide(question({ text: String(at), signal: aborter.signal }));
      if (isTakenBack) aborter.abort();
      await decide({ asked }, 'deny');
      assert.equal(await decision, 'deny');
    }
    assert.equal(await approvals.decide(question({ text: 'more' })), 'deny');
    assert.equal(asked.length, 3);
    approvals.decide(question({ widgetId: 'b' }));
    assert.equal(asked.length, 4);
  });
}

test('a question that never was shown, and is taken back, counts for nothing', async () => {
  const { approvals, asked } = scene();
  approvals.decide(question({ widgetId: 'b' }));
  for (let at = 0; at < 5; at += 1) {
    const aborter = new AbortController();
    approvals.decide(question({ text: String(at), signal: aborter.signal }));
    aborter.abort();
  }
  await decide({ asked }, 'deny');
  approvals.decide(question());
  assert.equal(asked.at(-1).shown.widgetId, 'a');
});

test('of equal calls one that is taken back leaves the question to the others', async () => {
  const { approvals, asked } = scene();
  const aborter = new AbortController();
  const [gone, stays] = [approvals.decide(question({ signal: aborter.signal })), approvals.decide(question())];
  let changes = 0;
  asked[0].shown.onTimes(() => (changes += 1));
  aborter.abort();
  assert.deepEqual([await gone, asked[0].shown.times(), changes, asked[0].shown.signal.aborted], ['deny', 1, 1, false]);
  await decide({ asked }, 'once');
  assert.equal(await stays, 'once');
  const late = new AbortController();
  late.abort();
  assert.equal(await approvals.decide(question({ signal: late.signal })), 'deny');
  assert.equal(asked.length, 1);
});

test('a widget’s consents are its last 64, and end with its document', () => {
  const needs = createConsentNeeds();
  const envelope = { success: true, data: { requiresOAuth: true, provider: 'p', scopes: ['s'], authUrl: 'https://p.invalid/' } };
  const note = () => needs.note({ widgetId: 'a', endpoint: 'mail-send' }, envelope);
  const ids = Array.from({ length: 65 }, note);
  assert.equal(needs.of('a', ids[0]), null);
  const { signal, ...need } = needs.of('a', ids[1]);
  assert.deepEqual(need, { widgetId: 'a', endpoint: 'mail-send', provider: 'p', scopes: ['s'], authUrl: 'https://p.invalid/', renew: false });
  needs.forget('a');
  assert.deepEqual([signal.aborted, needs.of('a', ids[64])], [true, null]);
  assert.equal(needs.of('a', note()).signal.aborted, false);
});
