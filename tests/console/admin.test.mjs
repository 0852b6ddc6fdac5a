// The page of admins without a browser: late answers, and a grant of credits.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { joined } from '../../service/browser/admin/errors-section.js';
import { createGrantForm } from '../../service/browser/admin/grant-form.js';
import { createOverviewSection } from '../../service/browser/admin/overview-section.js';
import { createRefresher } from '../../service/browser/admin/refresher.js';
import { createUserPage } from '../../service/browser/admin/user-page.js';
import { ApiError } from '../../service/browser/shared/errors.js';
import './plain-dom.mjs';

const { prototype } = document.body.constructor;
Object.assign(prototype, {
  reset() {
    for (const field of this.childNodes) if (field.tag === 'input') field.value = '';
  },
  insertBefore(node) {
    this.append(node);
  },
  querySelectorAll: () => [],
});
Object.defineProperty(prototype, 'children', { configurable: true, get() { return this.childNodes; } });
document.activeElement = null;
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('endings with the same words are one row, with the time of the last', () => {
  const ending = (reason, finishReason, count, lastAt) => ({ status: 'aborted', reason, finishReason, count, lastAt });
  const rows = joined([ending('stop', 'other', 1, '2026-02'), ending('gone', 'other', 4, '2026-01'), ending('stop', 'tool-calls', 2, '2026-03')]);
  assert.deepEqual(rows.map(({ reason, count, lastAt }) => [reason, count, lastAt]), [['stop', 3, '2026-03'], ['gone', 4, '2026-01']]);
});

test('the overview counts all replies that ended for one reason in one row', async () => {
  const ending = (finishReason, count, lastAt) => ({ status: 'aborted', reason: 'drain', finishReason, count, lastAt });
  const answers = {
    '/api/admin/turns': { turns: [], total: 0 },
    '/api/admin/today': { activeUsers: 1, users: 1, newUsers: 0, turns: { count: 7, credits: 1 }, calls: { count: 0, credits: 0 }, isWhole: true },
    '/api/admin/errors': { turns: { kinds: [ending('other', 2, '2026-11-30T10:00:00Z'), ending('tool-calls', 5, '2026-11-30T09:00:00Z')] }, calls: { kinds: [] }, host: { turns: [] } },
    '/api/admin/integrations': { integrations: [] },
  };
  const section = createOverviewSection(/** @type {any} */ ({ transport: { get: async (path) => answers[path] } }));
  const show = await section.load();
  show();
  assert.match(section.node.textContent, /The server ended7/);
});

test('an answer that a later one has overtaken is not shown', async (t) => {
  const answers = [];
  const shown = [];
  const load = () => new Promise((resolve, reject) => answers.push({ show: (name) => resolve(() => shown.push(name)), reject }));
  const refresher = createRefresher({ load, isVisible: () => true });
  t.after(refresher.stop);
  refresher.now();
  refresher.now();
  answers[1].show('disabled');
  await settle();
  answers[0].show('enabled');
  await settle();
  assert.deepEqual([shown, refresher.node.textContent.startsWith('Updated')], [['disabled'], true]);
  refresher.now();
  answers[2].reject(new ApiError(403, { error: 'forbidden' }));
  await settle();
  assert.match(refresher.problem.textContent, /Only admins/);
  refresher.now();
  refresher.now();
  answers[4].show('enabled again');
  await settle();
  answers[3].reject(new ApiError(403, { error: 'forbidden' }));
  await settle();
  assert.deepEqual([shown.at(-1), refresher.problem.textContent], ['enabled again', '']);
});

test('what a slow server answers is shown, though the page asks again meanwhile', async (t) => {
  let tick = () => {};
  t.mock.method(globalThis, 'setInterval', (act) => void (tick = act));
  const answers = [];
  const shown = [];
  const load = () => new Promise((resolve) => answers.push((name) => resolve(() => shown.push(name))));
  const refresher = createRefresher({ load, isVisible: () => true });
  t.after(refresher.stop);
  refresher.now();
  tick();
  tick();
  answers[0]('first');
  await settle();
  answers[2]('third');
  await settle();
  answers[1]('second');
  await settle();
  assert.deepEqual(shown, ['first', 'third']);
  tick();
  refresher.now(); // an action has changed something
  answers[3]('before the action');
  await settle();
  assert.deepEqual(shown, ['first', 'third']);
});

test('the page of a user shows nothing before all of it is read', async () => {
  const user = { subject: 'bob', role: null, balance: 1, held: 0, createdAt: null, lastReplyAt: null, stored: { records: {}, media: 0, turns: 0, grants: [] } };
  const transport = { get: async (path) => (path.includes('/users/') ? user : { entries: [{ entryId: 'e', amount: 0.00001, what: 'grant', facts: {}, createdAt: null }] }) };
  const page = createUserPage({ transport, reload() {}, announce() {} }, 'bob');
  const show = await page.load();
  assert.doesNotMatch(page.node.textContent, /Enabled/);
  show();
  assert.match(page.node.textContent, /Enabled.*1 creditFirst.*0\.00001/);
});

/** A form for grants to bob, and the grants that wait for their answers. */
function granting() {
  const sent = [];
  const transport = { call: (_method, _path, { body, headers }) => new Promise((resolve, reject) => sent.push({ body, key: headers['Idempotency-Key'], resolve, reject })) };
  const { node } = createGrantForm({ transport, reload() {}, announce() {} }, 'bob');
  const [credits, note] = node.childNodes;
  Object.defineProperty(credits, 'valueAsNumber', { get: () => Number(credits.value) });
  const type = (amount, words) => {
    [credits.value, note.value] = [amount, words];
    node.listeners.input();
  };
  async function grant() {
    node.listeners.submit({ preventDefault() {} });
    const dialog = document.body.lastChild;
    dialog.close('yes');
    await settle();
    return dialog.textContent;
  }
  return { sent, note, type, grant };
}

test('an amount is asked about as it is granted, with no digit left out', async () => {
  const { type, grant } = granting();
  type('0.00001', 'a test');
  assert.match(await grant(), /Grant 0\.00001 credits\?/);
  type('1', 'a test');
  assert.match(await grant(), /Grant 1 credit\?.*bob gets 1 credit,/);
  type('1234.567', 'a test');
  assert.match(await grant(), /bob gets 1,234\.567 credits/);
});

test('the next grant that is typed stays when the last one is answered', async () => {
  const { sent, note, type, grant } = granting();
  type('5', 'for Monday');
  await grant();
  type('6', 'for Tuesday');
  sent[0].resolve({});
  await settle();
  assert.equal(note.value, 'for Tuesday');
  await grant();
  sent[1].resolve({});
  await settle();
  assert.equal(note.value, '');
  assert.notEqual(sent[0].key, sent[1].key);
});

test('a grant without an answer is tried again with its key', async () => {
  const { sent, type, grant } = granting();
  type('5', 'for Monday');
  await grant();
  sent[0].reject(new ApiError(503, { error: 'unavailable', message: 'Later.' }));
  await settle();
  await grant();
  assert.equal(sent[0].key, sent[1].key);
});
