// The usage view: the plot's scale, the words of calls, changes and entries, and the list of calls.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createCallFeed } from '../../service/browser/usage/call-feed.js';
import { factsOf, outcomeOf, priceInWords, tookInWords } from '../../service/browser/usage/call-words.js';
import { createChangeList } from '../../service/browser/usage/change-list.js';
import { canBeUndone, countInWords, groupsOf, sentenceOf, stepsOf } from '../../service/browser/usage/change-words.js';
import { createPagedEntries } from '../../service/browser/usage/paged-entries.js';
import { createOverview } from '../../service/browser/usage/usage-overview.js';
import { createSpendPlot } from '../../service/browser/usage/spend-plot.js';
import { barsOf, dayInWords, labelledDays, sentenceOf as daySentence, shareInWords, ticksOf, topOf } from '../../service/browser/usage/spend-scale.js';
import { csvOf, noteOf, signedNumber, titleOf } from '../../service/browser/usage/statement-words.js';
import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { createCredits } from '../../service/browser/page/credits.js';
import './plain-dom.mjs';

const settle = () => new Promise((resolve) => setImmediate(resolve));
const CALL = { endpoint: 'search-web', payer: 'user', door: 'chat', status: 'succeeded', credits: 2, ms: 1234 };
const ENTRY = { entryId: 'e', kind: 'charge', amount: -2.5, what: 'search-web', ref: 'call_1', facts: {}, createdAt: '2026-11-23T10:00:00Z' };
const CALLED = { outcome: 'called', collection: 'integrations', recordId: 'search-web' };
/** @param {any} changes @returns {any} */
const change = (changes) => ({ turnId: 't', tool: 'records.update', collection: 'tasks', recordId: 'r', outcome: 'updated', before: { data: { title: 'Write', done: false } }, changes: { done: true }, undone: false, createdAt: 'now', ...changes });

test('the top of the scale is a round number that is not below the most', () => {
  const tops = [0, -1, 0.03, 0.4, 1, 1.1, 3, 41, 50.01, 999, 1000].map(topOf);
  assert.deepEqual(tops, [1, 1, 0.04, 0.4, 1, 2, 4, 50, 100, 1000, 1000]);
  assert.deepEqual(ticksOf(4), [4, 2, 0]);
});

test('a bar is as high as its day, a small one is seen, and a day of refunds has none', () => {
  const days = [4, 2, 0.001, 0, -3].map((credits) => ({ day: '2026-11-23', credits, calls: 1 }));
  assert.deepEqual(barsOf(days).map(({ height }) => height), [100, 50, 1, 0, 0]);
  for (const { x, y, width, height } of barsOf(days)) assert.ok(y + height === 100 && x + width < Math.floor(x) + 1);
  assert.deepEqual(barsOf([{ day: 'd', credits: 0, calls: 0 }])[0].height, 0);
});

test('a few days have a label, the last among them', () => {
  assert.deepEqual(labelledDays(7, 6), [0, 2, 4, 6]);
  assert.deepEqual(labelledDays(30, 6), [4, 9, 14, 19, 24, 29]);
  assert.equal(labelledDays(90, 6).at(-1), 89);
  assert.deepEqual(labelledDays(1, 6), [0]);
});

test('a day is told in words, whatever the time zone of the page', () => {
  assert.equal(dayInWords('2026-11-01'), '1 Nov');
  assert.equal(daySentence({ day: '2026-11-23', credits: 1.5, calls: 1 }), 'Mon 23 Nov: 1.5 credits, 1 call');
  assert.equal(daySentence({ day: '2026-11-23', credits: 0, calls: 0 }), 'Mon 23 Nov: 0 credits, no calls');
  assert.equal(daySentence({ day: '2026-11-23', credits: 1.0004, calls: 2 }), 'Mon 23 Nov: 1 credit, 2 calls');
  assert.deepEqual([[1, 4], [0, 4], [1, 1000], [1, 0], [-2, 4], [999, 1000], [4, 4]].map(([part, whole]) => shareInWords(part, whole)), ['25 %', '0 %', 'under 1 %', '0 %', '0 %', 'over 99 %', '100 %']);
});

test('the day that was picked stays when the numbers are read again', () => {
  const { prototype } = /** @type {any} */ (document.body.constructor);
  Object.defineProperty(prototype, 'style', { configurable: true, get() { return (this.ownStyle ??= {}); } });
  Object.assign(prototype, { querySelectorAll: () => [] });
  const days = (/** @type {number} */ from, /** @type {number} */ to) => Array.from({ length: to - from + 1 }, (_, at) => ({ day: `2026-11-${from + at}`, credits: 1, calls: 1 }));
  const { node, show } = createSpendPlot();
  const [head, plot] = /** @type {any} */ (node).childNodes;
  const said = () => head.childNodes[1].textContent.slice(0, 10);
  show(days(10, 16));
  assert.equal(said(), 'Mon 16 Nov');
  show(days(11, 17));
  assert.equal(said(), 'Tue 17 Nov');
  plot.childNodes[1].listeners.keydown({ key: 'ArrowLeft', preventDefault() {} });
  show(days(12, 18));
  assert.equal(said(), 'Mon 16 Nov');
  show(days(17, 19));
  assert.equal(said(), 'Thu 19 Nov');
});

test('a call says how it ended and why', () => {
  const failed = outcomeOf({ ...CALL, status: 'failed', error: 'upstream_provider_error', upstreamStatus: 500 });
  assert.deepEqual(failed, { word: 'Failed', tone: 'bad', reason: 'the other service failed (HTTP 500)' });
  const conflict = outcomeOf({ ...CALL, status: 'refused', error: 'conflict' });
  assert.equal(conflict.reason, 'its Idempotency-Key was in use');
  assert.deepEqual(outcomeOf(CALL), { word: 'Succeeded', tone: 'good', reason: '' });
  assert.deepEqual(outcomeOf({ ...CALL, status: 'new', error: 'odd' }), { word: 'new', tone: 'plain', reason: 'odd' });
  assert.deepEqual(factsOf({ ...CALL, approval: 'once' }), ['Chat', 'allowed once', '1.2 s']);
  assert.deepEqual(factsOf({ ...CALL, approval: 'auto' }), ['Chat', 'no approval needed', '1.2 s']);
  assert.deepEqual(factsOf({ ...CALL, status: 'accepted' }), ['Chat']);
});

test('a time and a price are told in words', () => {
  assert.deepEqual([0, 999, 1000, 59_940, 185_000, 7_440_000].map(tookInWords), ['0 ms', '999 ms', '1.0 s', '59.9 s', '3 min 5 s', '2 h 4 min']);
  const prices = [{}, { credits: 1 }, { credits: 0 }, { payer: 'developer' }, { credits: undefined }, { credits: 0, status: 'failed' }];
  assert.deepEqual(prices.map((one) => priceInWords({ ...CALL, ...one })), ['2 credits', '1 credit', 'Free', '2 credits, paid by the owner', '', '']);
});

test('a change of the assistant is told with what was before', () => {
  assert.equal(sentenceOf(change({})), 'Changed the task “Write”');
  assert.deepEqual(stepsOf(change({})), [{ name: 'done', before: 'no', after: 'yes' }]);
  const made = change({ outcome: 'added', before: null, changes: { userId: 'alice', title: 'New', done: true } });
  assert.equal(sentenceOf(made), 'Created the task “New”');
  assert.deepEqual(stepsOf(made), [{ name: 'done', before: null, after: 'yes' }]);
  const bought = change({ collection: 'errands', outcome: 'added', before: null, changes: { buyerId: 'alice', item: 'Rice' } });
  assert.equal(sentenceOf(bought), 'Created the errand “Rice”');
  assert.deepEqual([sentenceOf(change({ outcome: 'removed', changes: null })), stepsOf(change({ outcome: 'removed' }))], ['Deleted the task “Write”', []]);
  const stored = change({ before: { data: { place: { a: 1 } } }, changes: { place: { a: 1, b: 2 } } });
  assert.deepEqual(stepsOf(stored), [{ name: 'place', before: '1 field', after: '2 fields' }]);
  assert.equal(sentenceOf(change({ ...CALLED, before: null })), 'Called search-web');
  assert.equal(sentenceOf(change({ before: null, changes: null })), 'Changed a task');
});

test('a change of a canvas says how many widgets and connections it has, or that they are others', () => {
  const io = (...connections) => ({ version: 1, connections, widgets: {} });
  const before = { data: { widgets: ['a', 'b'], io: io() } };
  const steps = (changes) => stepsOf(change({ collection: 'canvases', before, changes }));
  assert.deepEqual(steps({ io: io('c') }), [{ name: 'connections', before: 'no items', after: '1 item' }]);
  assert.deepEqual(steps({ widgets: ['b', 'a'] }), [{ name: 'widgets', before: null, after: 'changed' }]);
});

test('changes stand in groups by turn, and a group of calls has nothing to undo', () => {
  const groups = groupsOf([change({ turnId: 'b' }), change({ recordId: 2 }), change({ ...CALLED, recordId: 1 })]);
  assert.deepEqual(groups.map(({ turnId }) => turnId), ['b', 't']);
  assert.deepEqual(groups[1].changes.map(({ recordId }) => recordId), [1, 2]);
  assert.equal(canBeUndone(groups[1]), true);
  assert.equal(canBeUndone(groupsOf([change({ undone: true })])[0]), false);
  assert.equal(canBeUndone(groupsOf([change(CALLED)])[0]), false);
});

test('a call that was cut off is told as one, and has nothing to undo', () => {
  const left = change({ ...CALLED, outcome: 'left', before: null, changes: null });
  assert.equal(sentenceOf(left), 'May have called search-web: how it ended is not known');
  assert.deepEqual(stepsOf(left), []);
  assert.equal(canBeUndone(groupsOf([left])[0]), false);
  assert.equal(canBeUndone(groupsOf([left, change({})])[0]), true);
});

test('an entry is told in words, and its file holds no formula', () => {
  assert.deepEqual([signedNumber(-2.5), signedNumber(1000)], ['−2.5', '+1,000']);
  assert.equal(titleOf({ ...ENTRY, kind: 'grant', what: 'starting credits' }), 'Starting credits');
  assert.equal(noteOf({ ...ENTRY, facts: { door: 'mcp', approval: 'session', integration: 'search' } }), 'MCP, allowed until the page closed');
  assert.equal(noteOf({ ...ENTRY, kind: 'grant', facts: { note: 'for the outage of Monday' } }), 'for the outage of Monday');
  const file = csvOf([{ ...ENTRY, what: '=1+1', facts: { approval: 'a "b", c', note: '=2' } }]);
  assert.equal(file.split('\r\n')[1], `2026-11-23T10:00:00Z,charge,'=1+1,-2.5,,"a ""b"", c",call_1,e,'=2`);
});

/** A feed over a server of the test's own. @param {any[]} records */
function following(records) {
  const asked = /** @type {any[]} */ ([]);
  let receive = (/** @type {any} */ _message) => {};
  const transport = /** @type {any} */ ({
    async get(/** @type {string} */ path, /** @type {any} */ query) {
      asked.push([path, query]);
      const id = path.split('/')[4];
      const found = records.find(({ recordId }) => recordId === id);
      if (id && !found) throw new ApiError(404, { error: 'not_found' }, null);
      return id ? found : { records, nextCursor: null };
    },
  });
  const socket = /** @type {any} */ ({ subscribe: (/** @type {any} */ name, /** @type {any} */ where, /** @type {any} */ told) => ((receive = told), asked.push([name, where]), () => {}) });
  const problems = /** @type {any[]} */ ([]);
  const feed = createCallFeed({ transport, socket, onChange: () => {}, onProblem: (error) => error && problems.push(error) });
  return { feed, asked, problems, tell: (/** @type {any} */ message) => receive(message) };
}
/** @param {string} recordId @param {string} createdAt @param {string} status @returns {any} */
const row = (recordId, createdAt, status) => ({ recordId, createdAt, data: { ...CALL, status } });

test('an answer takes back nothing that the socket has told since it was asked for', async () => {
  const running = { ...row('a', '1', 'accepted'), updatedAt: '1' };
  const records = [running];
  const { feed, tell } = following(records);
  await feed.refresh();
  const late = feed.refresh();
  tell({ type: 'change', action: 'written', record: { ...row('a', '1', 'succeeded'), updatedAt: '2' } });
  await late;
  assert.equal(feed.rows[0].data.status, 'succeeded');
});

test('older calls of another filter are not asked for', async () => {
  const asked = /** @type {any[]} */ ([]);
  const transport = /** @type {any} */ ({
    get: async (/** @type {string} */ _path, /** @type {any} */ query) => (asked.push(query), { records: [row('a', '1', 'failed')], nextCursor: 'c' }),
  });
  const socket = /** @type {any} */ ({ subscribe: () => () => {} });
  const feed = createCallFeed({ transport, socket, onChange: () => {}, onProblem: () => {} });
  await feed.refresh();
  feed.choose('failed');
  assert.equal(feed.hasMore, false);
  await settle();
  assert.equal(feed.hasMore, true);
});

test('the list of calls follows what is newer than what it has read, and the jobs that run', async () => {
  const { feed, asked, tell } = following([row('b', '2', 'accepted'), row('a', '1', 'failed')]);
  await feed.refresh();
  assert.deepEqual(asked[1], ['integration-calls', { or: [{ createdAt: { gt: '2' } }, { status: 'accepted' }] }]);
  tell({ type: 'change', action: 'added', record: row('c', '3', 'succeeded') });
  assert.deepEqual(feed.rows.map(({ recordId }) => recordId), ['c', 'b', 'a']);
});

test('a filtered list follows only the calls of its filter, so that the socket never sends all calls of the user', async () => {
  const { feed, asked } = following([]);
  await feed.choose('failed');
  assert.deepEqual(asked[1], ['integration-calls', { or: [{ createdAt: { gt: '1970-01-01T00:00:00Z' }, or: [{ status: 'failed' }, { status: 'refused' }] }, { status: 'accepted' }] }]);
  await feed.choose('running');
  assert.deepEqual(asked[3], ['integration-calls', { or: [{ createdAt: { gt: '1970-01-01T00:00:00Z' }, status: 'accepted' }, { status: 'accepted' }] }]);
});

test('a job that has ended leaves the subscription and is read again, a deleted call is gone', async () => {
  const records = [row('a', '1', 'accepted'), row('b', '0', 'failed')];
  const { feed, problems, tell } = following(records);
  await feed.refresh();
  records[0] = row('a', '1', 'succeeded');
  records.pop();
  for (const record of [row('a', '1', 'accepted'), row('b', '0', 'failed')]) tell({ type: 'change', action: 'removed', record });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([feed.rows.map(({ recordId, data }) => [recordId, data.status]), problems], [[['a', 'succeeded']], []]);
});

test('a filter is asked of the server, and what does not fit it is not shown', async () => {
  const { feed, asked, tell } = following([row('a', '1', 'refused')]);
  await feed.choose('failed');
  assert.deepEqual(asked[0][1].where, { or: [{ status: 'failed' }, { status: 'refused' }] });
  tell({ type: 'change', action: 'added', record: row('b', '2', 'succeeded') });
  assert.deepEqual(feed.rows.map(({ recordId }) => recordId), ['a']);
});

test('a call of an endpoint is not counted as a change of a record', () => {
  const call = change({ collection: 'integrations', outcome: 'called', recordId: 'generate-image' });
  assert.equal(countInWords([call]), '1 call');
  assert.equal(countInWords([change({}), call, change({})]), '2 changes, 1 call');
});

test('numbers of another range than the chosen one say which days they are of', async () => {
  const spend = { credits: 3, calls: 1, days: [], sources: [] };
  let isAway = false;
  const get = async (path) => {
    if (isAway) throw new NetworkError();
    return path === '/api/credits' ? { balance: 7, held: 0 } : spend;
  };
  const overview = createOverview(/** @type {any} */ ({ transport: { get }, onAccount() {}, announce() {} }));
  await overview.refresh();
  isAway = true;
  await overview.refresh();
  assert.match(overview.node.textContent, /The numbers are those of \d\d:\d\d\./);
  const [week] = overview.node.childNodes[0].childNodes[0].childNodes;
  week.listeners.click();
  await settle();
  assert.match(overview.node.textContent, /The numbers are those of \d\d:\d\d, for 30 days\./);
});

test('while the numbers of another range are read, the old ones are marked, and the new ones are read out once', async () => {
  const said = [];
  const get = async (path, { days }) => (path === '/api/credits' ? { balance: 7, held: 0 } : { credits: days / 2, calls: days, days: [], sources: [] });
  const overview = createOverview(/** @type {any} */ ({ transport: { get }, onAccount() {}, announce: (sentence) => said.push(sentence) }));
  await overview.refresh();
  assert.equal(overview.node.getAttribute('aria-busy'), 'false');
  const [week] = overview.node.childNodes[0].childNodes[0].childNodes;
  week.listeners.click();
  assert.equal(overview.node.getAttribute('aria-busy'), 'true');
  await settle();
  assert.equal(overview.node.getAttribute('aria-busy'), 'false');
  await overview.refresh();
  assert.deepEqual(said, ['7 days: 3.5 credits, 7 calls']);
});

test('of two answers about the balance that of the later question counts', async () => {
  const asked = [];
  const credits = createCredits({ get: () => new Promise((resolve, reject) => asked.push({ resolve, reject })) });
  credits.refresh();
  credits.refresh();
  credits.refresh();
  asked[1].resolve({ balance: 7 });
  await settle();
  asked[0].resolve({ balance: 9 });
  await settle();
  assert.deepEqual([credits.balance(), credits.node.textContent], [7, '7 credits']);
  asked[2].reject(new Error('away'));
  await settle();
  assert.equal(credits.balance(), 7);
  credits.onAccount({ balance: 1 });
  assert.equal(credits.node.textContent, '1 credit');
});

test('a double click on Undo takes the changes back once, and tells what that came to', async () => {
  const asked = [];
  const transport = {
    get: async () => ({ entries: [change({ createdAt: '2026-11-23T10:00:00Z', undone: asked.length > 0 })], nextCursor: null }),
    post: async (path) => {
      asked.push(path);
      await settle();
      if (asked.length > 1) throw new ApiError(409, { error: 'conflict', message: 'It was undone already.' });
      return { undone: [{ collection: 'tasks', recordId: 'r' }], conflicts: [] };
    },
  };
  const list = createChangeList({ transport, announce() {} });
  await list.refresh();
  const find = (node) => (node.attributes?.['aria-label']?.startsWith('Undo') ? node : node.childNodes?.map(find).find(Boolean));
  const { click } = find(list.node).listeners;
  const [first, second] = [click(), click()];
  assert.equal(document.body.childNodes.length, 1);
  document.body.lastChild.close('yes');
  await Promise.all([first, second]);
  assert.equal(asked.length, 1);
  assert.match(list.node.textContent, /Undone: 1 task\./);
});

/** A server with 130 entries. @param {any[]} asked its requests */
function entriesOf(asked) {
  const all = Array.from({ length: 130 }, (_, n) => n);
  const problems = /** @type {any[]} */ ([]);
  const entries = createPagedEntries({
    async read({ limit, cursor }) {
      asked.push([limit, cursor]);
      if (asked.isAway) throw new Error('away');
      const from = Number(cursor ?? 0);
      return { entries: all.slice(from, from + limit), nextCursor: from + limit < all.length ? String(from + limit) : null };
    },
    onRead() {},
    onProblem: (error) => problems.push(error),
  });
  return { entries, problems, all };
}

test('a list that is read again has as many entries as before, and keeps them if they can not be read', async () => {
  const asked = /** @type {any} */ ([]);
  const { entries, problems, all } = entriesOf(asked);
  await entries.refresh();
  assert.deepEqual([entries.list.length, entries.hasMore], [50, true]);
  await entries.more();
  await entries.refresh();
  assert.deepEqual([entries.list.length, entries.hasMore], [100, true]);
  await entries.more();
  assert.deepEqual(entries.list, all);
  await entries.refresh();
  assert.deepEqual([entries.list, entries.hasMore], [all, false]);
  assert.deepEqual(asked, [[50, null], [50, '50'], [100, null], [50, '100'], [130, null]]);
  asked.isAway = true;
  await entries.refresh();
  assert.deepEqual([entries.list, problems.length], [all, 1]);
});

test('of two requests for entries only the later one counts', async () => {
  const { entries } = entriesOf([]);
  const [first, second] = [entries.refresh(), entries.refresh()];
  await Promise.all([first, second]);
  const both = [entries.more(), entries.more()];
  await Promise.all(both);
  assert.equal(entries.list.length, 100);
});

test('an undo below the first page keeps its group on the page, with its outcome, and the nodes of the other groups', async () => {
  const all = Array.from({ length: 60 }, (_, n) => change({ turnId: `t${n}`, createdAt: '2026-11-23T10:00:00Z' }));
  const transport = {
    get: async (/** @type {string} */ _path, /** @type {any} */ { limit, cursor }) => {
      const from = Number(cursor ?? 0);
      return { entries: all.slice(from, from + limit), nextCursor: from + limit < all.length ? String(from + limit) : null };
    },
    post: async () => ((all[55].undone = true), { undone: [{ collection: 'tasks', recordId: 'r' }], conflicts: [] }),
  };
  const list = createChangeList(/** @type {any} */ ({ transport, announce() {} }));
  const find = (/** @type {any} */ node, /** @type {(node: any) => boolean} */ fits) => (fits(node) ? node : node.childNodes?.map((/** @type {any} */ each) => find(each, fits)).find(Boolean));
  const groupOf = (/** @type {string} */ turn) => find(list.node, ({ dataset }) => dataset?.turn === turn);
  await list.refresh();
  await find(list.node, ({ attributes }) => attributes?.class === 'quiet usage-more').listeners.click();
  const other = groupOf('t54');
  const undoing = find(groupOf('t55'), ({ attributes }) => attributes?.['aria-label']?.startsWith('Undo')).listeners.click();
  document.body.lastChild.close('yes');
  await undoing;
  assert.match(groupOf('t55').textContent, /Undone: 1 task\./);
  assert.equal(groupOf('t54'), other);
});
