// What a hostile widget tries with calls, prices and questions; the pure parts of the host.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError } from '../../service/browser/shared/errors.js';
import { createApprovals } from '../../service/browser/widgets/host-approvals.js';
import { createCalls } from '../../service/browser/widgets/host-calls.js';
import { createConsentNeeds } from '../../service/browser/widgets/host-consents.js';
import { createRefusalCounter } from '../../service/browser/widgets/host-refusals.js';
import { createScopes } from '../../service/browser/widgets/host-scopes.js';
import { createHostServer } from '../../service/browser/widgets/host-server.js';
import { parseWidgetPort } from '../../service/browser/widgets/messages.js';

const settle = () => new Promise((resolve) => setTimeout(resolve, 1));
const POLICY = { approval: 'ask', credits: 2, title: 'Search', known: true, payer: 'owner' };
const REQUEST = { requestId: 'r', method: 'POST', endpoint: 'search-web', body: { q: 'x' } };

/** A widget whose calls ask a user; `page.policy` may change at any time. */
function opened() {
  const page = { policy: POLICY, asked: [], made: [], sent: [], ended: 0, price: () => assert.fail('not metered') };
  const approve = (request) => new Promise((answer) => page.asked.push({ ...request, answer }));
  page.refusals = createRefusalCounter(() => (page.ended += 1));
  const approvals = createApprovals(approve, page.refusals);
  const price = async (_, body) => page.price(JSON.parse(body));
  const server = { policy: () => page.policy, price, call: async (request) => (page.made.push(request), { success: true, data: {} }) };
  const widget = { id: 'a', templateName: 'A' };
  const calls = createCalls({ widget, server, approvals, needs: createConsentNeeds(), send: (message) => page.sent.push(message), onEvent() {} });
  page.ask = async (more = {}) => (calls.receive({ ...REQUEST, ...more }), settle());
  page.answer = async (decision) => (page.asked.at(-1).answer(decision), settle());
  return page;
}

const CHANGES = {
  'costs more': { credits: 3 },
  'is paid by another': { payer: 'user' },
};

for (const [change, more] of Object.entries(CHANGES)) {
  test(`a call that ${change} since it was shown is shown again, and nothing leaves before`, async () => {
    const page = opened();
    await page.ask();
    page.policy = { ...POLICY, ...more };
    await page.answer('session');
    assert.equal(page.made.length, 0);
    assert.deepEqual(page.asked.map(({ policy }) => policy), [POLICY, page.policy]);
    await page.answer('once');
    assert.deepEqual(page.made.map(({ approval }) => approval), ['once']);
  });
}

test('an approval until the page closes does not hold for another payer or a higher price', async () => {
  const page = opened();
  await page.ask();
  await page.answer('session');
  await page.ask({ requestId: 'same', body: { q: 'y' } });
  assert.equal(page.asked.length, 1);
  page.policy = { ...POLICY, payer: 'user' };
  await page.ask({ requestId: 'other' });
  assert.equal(page.asked.length, 2);
  assert.equal(page.made.length, 2);
});

test('the user is told what this very call costs, and no more is allowed by it', async () => {
  const page = opened();
  page.policy = { ...POLICY, metered: true };
  page.price = ({ credits }) => credits;
  for (const [requestId, credits, answer] of [['r1', 1.5, 'session'], ['r2', 1.5, null], ['r3', 40, 'once']]) {
    await page.ask({ requestId, body: { credits } });
    if (answer) await page.answer(answer);
  }
  assert.deepEqual(page.asked.map(({ policy }) => policy.credits), [1.5, 40]);
  assert.deepEqual(page.made.map(({ approval }) => approval), ['session', 'session', 'once']);
});

test('nobody is asked about a call that can only be refused', async () => {
  const page = opened();
  page.policy = { ...POLICY, metered: true };
  page.price = () => {
    throw new ApiError(400, { error: 'invalid_request', message: 'No.' });
  };
  await page.ask();
  assert.deepEqual([page.asked.length, page.made.length, page.sent.at(-1).envelope.error], [0, 0, 'invalid_request']);
});

test('a widget that was refused three times in a row asks no more, until the user lets it', async () => {
  const page = opened();
  for (const n of [1, 2, 3]) {
    await page.ask({ requestId: `r${n}`, body: { n } });
    await page.answer('deny');
  }
  await page.ask({ requestId: 'r4' });
  assert.deepEqual([page.asked.length, page.ended], [3, 2]);
  assert.equal(page.sent.at(-1).envelope.error, 'approval_denied');
  page.refusals.renew('a');
  await page.ask({ requestId: 'r5' });
  assert.equal(page.asked.length, 4);
});

test('an approval between refusals starts their count again', async () => {
  const page = opened();
  for (const decision of ['deny', 'deny', 'once', 'deny', 'deny']) {
    await page.ask({ requestId: `${page.asked.length}` });
    await page.answer(decision);
  }
  await page.ask();
  assert.deepEqual([page.asked.length, page.ended], [6, 0]);
});

test('however often a widget asks for its connections, one request is under way', async () => {
  const answers = [];
  const scopes = createScopes(() => new Promise((answer) => answers.push(answer)));
  const asked = Array.from({ length: 100 }, () => scopes());
  assert.equal(answers.length, 1);
  answers[0]({ mail: { connected: false } });
  await settle();
  assert.equal(answers.length, 2, 'the later questions get a newer answer');
  answers[1]({ mail: { connected: true } });
  const flags = (await Promise.all(asked)).map(({ mail }) => mail.connected);
  assert.deepEqual([flags.filter(Boolean).length, flags[0]], [99, false]);
});

const TRICKS = [
  '../records/chats', 'jobs/../status', 'jobs/a/../../status', 'search-web/', '/search-web', 'search-web//x', './search-web',
  'search-web%2f..', 'search-web?x=1', 'search-web#x', 'search-web\n', 'search web', 'search-web\\..', '__proto__',
];

test('a name with a trick of addresses is no endpoint', () => {
  for (const endpoint of TRICKS) assert.deepEqual(parseWidgetPort({ ...REQUEST, type: 'widget-api-request', endpoint }), { dropped: 'bad_field', field: 'endpoint' }, endpoint);
});

test('a name that every object has is no known endpoint', () => {
  const { policy } = createHostServer(/** @type {any} */ ({}), [{ endpoints: [{ name: 'search-web', ...POLICY }] }]);
  assert.equal(policy('search-web').known, true);
  for (const name of ['constructor', 'valueof', 'toString', '__proto__', 'status', 'catalog']) assert.equal(policy(name).known, false);
});
