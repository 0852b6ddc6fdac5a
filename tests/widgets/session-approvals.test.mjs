// What is allowed until the page closes: its list, and taking it back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createApprovals } from '../../service/browser/widgets/host-approvals.js';
import { createRefusalCounter } from '../../service/browser/widgets/host-refusals.js';
import { createSessionApprovals } from '../../service/browser/widgets/session-approvals.js';

const POLICY = { approval: 'ask', credits: 2, title: 'Search', known: true };
const question = (more = {}) => ({
  widgetId: 'a', widgetName: 'A', endpoint: 'search-web', policy: POLICY, text: '{}', signal: new AbortController().signal, ...more,
});

test('each approval is listed with its widget, its endpoint and its price', () => {
  const sessions = createSessionApprovals();
  let changes = 0;
  sessions.onChange(() => (changes += 1));
  sessions.add(question());
  sessions.add(question({ endpoint: 'search-news' }));
  sessions.add(question({ policy: { ...POLICY, credits: 3 } }));
  assert.deepEqual(sessions.list().map(({ widgetName, endpoint, policy }) => [widgetName, endpoint, policy.credits]), [['A', 'search-web', 3], ['A', 'search-news', 2]]);
  assert.ok(!('text' in sessions.list()[0]), 'arguments are not kept');
  assert.equal(changes, 3);
});

test('a widget asks again after its approval was taken back, and another does not', async () => {
  const sessions = createSessionApprovals();
  const answers = ['session', 'session', 'deny'];
  const { decide } = createApprovals(async () => answers.shift(), createRefusalCounter(() => {}), sessions);
  for (const widgetId of ['a', 'b']) assert.equal(await decide(question({ widgetId })), 'session');
  sessions.revoke({ widgetId: 'a', endpoint: 'search-web' });
  assert.deepEqual(sessions.list().map(({ widgetId }) => widgetId), ['b']);
  assert.equal(await decide(question({ widgetId: 'b' })), 'session');
  assert.equal(await decide(question()), 'deny');
});

test('a widget that is gone leaves nothing in the list', () => {
  const sessions = createSessionApprovals();
  for (const widgetId of ['a', 'b']) sessions.add(question({ widgetId }));
  sessions.forget('a');
  assert.deepEqual(sessions.list().map(({ widgetId }) => widgetId), ['b']);
});
