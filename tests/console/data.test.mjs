// The data view without a browser: filters, values, order, keys, pages of records, writes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canCreateAgain, mayDo, singularOf, tableColumns, titleColumn, titleOf, wordOf, writableData } from '../../service/browser/data/collections.js';
import { dataHref, parseDataRoute } from '../../service/browser/data/data-route.js';
import { MOST_SEARCHES, areAlike, conditionOf, operatorsOf, searchAlternatives, whereOf, wordsOf } from '../../service/browser/data/filters.js';
import { placeAfter } from '../../service/browser/data/grid-keys.js';
import { nextSort, placeOf } from '../../service/browser/data/order.js';
import { createNewRecord } from '../../service/browser/data/new-record.js';
import { createCreatePanel } from '../../service/browser/data/create-panel.js';
import { createDeletion } from '../../service/browser/data/deletion.js';
import { createGridRow } from '../../service/browser/data/grid-row.js';
import { createPagedRows } from '../../service/browser/data/paged-rows.js';
import { createCell } from '../../service/browser/data/record-cells.js';
import { createRecordForm } from '../../service/browser/data/record-form.js';
import { createRecordPanel } from '../../service/browser/data/record-panel.js';
import { createRecordTable } from '../../service/browser/data/record-table.js';
import { createRecordWrites } from '../../service/browser/data/record-writes.js';
import { tablesOf } from '../../service/browser/data/record-tables.js';
import { createValueEditor } from '../../service/browser/data/value-editor.js';
import { readText, shownText, typedText } from '../../service/browser/data/values.js';
import { createDrafts } from '../../service/browser/page/drafts.js';
import { createProblemLine } from '../../service/browser/page/problem-line.js';
import { parseRoute } from '../../service/browser/page/route.js';
import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import './plain-dom.mjs';

const column = (name, type = 'string', more = {}) => ({ name, type, required: false, readOnly: false, ...more });
const TITLE = column('title', 'string', { required: true });
const OWN = { read: 'own', create: 'own', update: 'own', delete: 'own' };
const TASKS = {
  name: 'tasks',
  owner: 'userId',
  columns: [column('userId', 'string', { readOnly: true }), TITLE, column('done', 'boolean'), column('size', 'integer'), column('due', 'datetime')],
  permissions: OWN,
};
const row = (recordId, data = {}, more = {}) => ({ recordId, data: { userId: 'alice', ...data }, createdAt: recordId, updatedAt: '1', ...more });
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

test('filters of several columns and a search become one `where`', () => {
  const size = TASKS.columns[3];
  const filters = [{ column: size, operator: 'gt', text: '3' }, { column: size, operator: 'lte', text: '9' }, { column: TASKS.columns[2], operator: 'untrue', text: '' }];
  assert.deepEqual(whereOf(filters, 'fair', TASKS.columns), {
    size: { gt: 3, lte: 9 },
    done: { ne: true },
    or: [{ title: { contains: 'fair' } }, { title: { contains: 'Fair' } }],
  });
});

test('the same condition twice on a column holds twice', () => {
  const contains = (text) => ({ column: TITLE, operator: 'contains', text });
  assert.deepEqual(whereOf([contains('a'), contains('b')], '', [TITLE]), { title: { contains: 'a' }, or: [{ title: { contains: 'b' } }] });
});

test('a filter nests no deeper than the server allows', () => {
  const many = Array.from({ length: 9 }, (_, n) => ({ column: TITLE, operator: 'contains', text: `${n}` }));
  const depth = (where) => 1 + Math.max(0, ...(where.or ?? []).map(depth));
  assert.equal(depth(whereOf(many, 'x', [TITLE])), 4);
});

test('a search takes no more `contains` than the server allows', () => {
  const columns = Array.from({ length: 30 }, (_, n) => column(`text${n}`));
  assert.equal(searchAlternatives('Word', columns, MOST_SEARCHES).length, MOST_SEARCHES);
  assert.deepEqual(searchAlternatives('  ', columns, MOST_SEARCHES), []);
  const filter = { column: columns[0], operator: 'contains', text: 'x' };
  assert.equal(whereOf([filter], 'Word', columns).or.length, MOST_SEARCHES - 1);
});

test('a condition says what it can’t read', () => {
  assert.deepEqual(conditionOf({ column: TASKS.columns[3], operator: 'in', text: '1, 2' }), { condition: { in: [1, 2] } });
  assert.match(conditionOf({ column: TASKS.columns[3], operator: 'in', text: '1, x' }).problem, /number/);
  assert.match(conditionOf({ column: TITLE, operator: 'contains', text: ' ' }).problem, /look for/);
});

test('a list may end with a comma, and filters of one kind are counted together', () => {
  const [size, listed] = [TASKS.columns[3], (text) => ({ column: TITLE, operator: 'in', text })];
  assert.deepEqual(conditionOf(listed('one, two, ')), { condition: { in: ['one', 'two'] } });
  assert.match(conditionOf(listed(' , ')).problem, /look for/);
  const not = { column: size, operator: 'ne', text: '1' };
  assert.deepEqual([{ ...not, operator: 'filled', text: '' }, { ...not, text: '2' }, { ...not, operator: 'eq' }, { ...not, column: TITLE }].map((other) => areAlike(not, other)), [true, true, false, false]);
});

test('a filter reads as a sentence, and JSON has no filter', () => {
  assert.equal(wordsOf({ column: TITLE, operator: 'contains', text: 'x' }), 'Title contains “x”');
  assert.equal(wordsOf({ column: TASKS.columns[2], operator: 'untrue', text: '' }), 'Done is not yes');
  assert.deepEqual(operatorsOf(column('tags', 'array')), []);
});

const READINGS = [
  [column('n', 'integer'), '12', 12],
  [column('n', 'number'), '1,5', 1.5],
  [column('n', 'number'), '0,125', 0.125],
  [column('n', 'number'), '-1234,567', -1234.567],
  [column('n', 'number'), '\u22125', -5],
  [column('n', 'number'), '', null],
  [column('s'), '', null],
  [TITLE, '', ''],
  [column('o', 'object'), '{"a": 1}', { a: 1 }],
  [column('a', 'array'), '[1]', [1]],
];
for (const [of, text, value] of READINGS) {
  test(`“${text}” is read as ${JSON.stringify(value)} in a column of type ${of.type}`, () => assert.deepEqual(readText(of, text), { value }));
}

test('a number that would be another one when it is stored is refused', () => {
  for (const [type, text] of [['integer', '9007199254740993'], ['number', '-9007199254740993'], ['object', '{"id": 9007199254740993}'], ['array', '[1e999]']]) {
    assert.match(readText(column('c', type), text).problem, /too large to be sent/, type);
  }
  assert.deepEqual(readText(column('c', 'object'), '{"id": "9007199254740993"}'), { value: { id: '9007199254740993' } });
});

test('a long text is not cut within a character', () => {
  const title = `${'a'.repeat(99)}🎻 and more`;
  assert.equal(titleOf(TASKS, row('5', { title })), 'a'.repeat(99));
  assert.equal(shownText(TITLE, `${'b'.repeat(199)}🎻`), 'b'.repeat(199));
  assert.equal(shownText(TITLE, `${'b'.repeat(198)}🎻 and more`), `${'b'.repeat(198)}🎻`);
});

test('a value that does not have the type of its column is shown as it is stored', () => {
  for (const [of, value, text] of [[column('t', 'datetime'), 'soon', 'soon'], [column('t', 'datetime'), 5, '5'], [column('s'), { a: 1 }, '{"a":1}']]) {
    assert.equal(shownText(of, value), text);
    assert.equal(typeof typedText(of, value), 'string');
  }
});

test('what is no value of a column says what to write', () => {
  for (const [type, text] of [['integer', '1.5'], ['integer', '1,234'], ['number', '1,234'], ['number', '-12,500'], ['number', 'x'], ['object', '[1]'], ['array', '{'], ['datetime', 'soon']]) {
    assert.ok('problem' in readText(column('c', type), text), type);
  }
  assert.ok('problem' in readText(column('c', 'integer', { required: true }), ' '));
  assert.equal(shownText(column('o', 'object'), { a: [1] }), '{"a":[1]}');
});

/** The editor of a value, in a control that keeps texts as browsers do. @param {any} of @param {string} value @param {(text: string) => string} kept */
function editorOf(of, value, kept) {
  const { createElement } = document;
  document.createElement = (tag) => {
    let text = '';
    return Object.defineProperty(createElement(tag), 'value', { get: () => text, set: (next) => (text = kept(next)) });
  };
  try {
    return createValueEditor(of, value);
  } finally {
    document.createElement = createElement;
  }
}

test('JSON with a number that the browser has changed is saved only without it', () => {
  const stored = JSON.parse('{"id": 1234567890123456789012, "on": true}'); // of which the last digits are lost
  const json = editorOf(column('c', 'object'), stored, (typed) => typed);
  json.type(JSON.stringify({ ...stored, on: false }));
  assert.match(json.read().problem, /^1\.23\d+e\+21 is too large to be sent/);
  json.type('{"on": false}');
  assert.deepEqual(json.read(), { value: { on: false } });
  const own = editorOf(column('c', 'object'), { on: true }, (typed) => typed);
  own.type('{"id": 1e21}'); // written so by the user, it is what is sent
  assert.deepEqual(own.read(), { value: { id: 1e21 } });
});

test('a value that its control shows otherwise is not changed by that', () => {
  const text = editorOf(column('text'), 'one\r\ntwo', (typed) => typed.replaceAll('\r\n', '\n'));
  assert.deepEqual([text.isChanged(), text.read()], [false, { value: 'one\r\ntwo' }]);
  text.type('one\nthree');
  assert.deepEqual([text.isChanged(), text.read()], [true, { value: 'one\nthree' }]);
  const never = editorOf(column('until', 'datetime'), '9999-12-31T23:59:59Z', (typed) => (/^\d{4}-/.test(typed) ? typed : ''));
  assert.deepEqual([never.isChanged(), never.read()], [false, { value: '9999-12-31T23:59:59Z' }]);
});

test('records without a value come last in both directions', () => {
  const list = [row('1', { size: 9 }), row('2', { size: 3 }), row('3')];
  assert.equal(placeOf(list, row('4', { size: 5 }), '-size'), 1);
  assert.equal(placeOf([list[1], list[0], list[2]], row('4'), 'size'), 3);
  assert.deepEqual([nextSort('-createdAt', 'size'), nextSort('size', 'size'), nextSort('-size', 'size')], ['size', '-size', '-createdAt']);
});

test('arrows move inside the grid and never out of it', () => {
  const size = { rows: 3, columns: 4 };
  assert.deepEqual(placeAfter({ key: 'ArrowUp' }, { row: 0, column: 1 }, size), { row: 0, column: 1 });
  assert.deepEqual(placeAfter({ key: 'PageDown' }, { row: 1, column: 1 }, size), { row: 2, column: 1 });
  assert.deepEqual(placeAfter({ key: 'End', ctrlKey: true }, { row: 0, column: 0 }, size), { row: 2, column: 3 });
  assert.equal(placeAfter({ key: 'a' }, { row: 0, column: 0 }, size), null);
});

test('an address leads to its record, whatever its id is', () => {
  const { view, id } = parseRoute(dataHref('tasks', 'a/b c%'));
  assert.equal(view, 'data');
  assert.deepEqual(parseDataRoute(id), { collection: 'tasks', recordId: 'a/b c%' });
  assert.deepEqual(parseDataRoute(null), { collection: null, recordId: null });
});

test('names become words', () => {
  assert.deepEqual(['userMessageId', 'ai-chats', 'updatedAt'].map(wordOf), ['User message id', 'AI chats', 'Changed']);
  assert.deepEqual(['tasks', 'categories', 'canvases', 'equipment', 'statuses', 'user-movies'].map(singularOf), ['task', 'category', 'canvas', 'record of equipment', 'status', 'user movie']);
});

test('a table begins with the title and leaves out an owner that is always the user', () => {
  assert.deepEqual(tableColumns(TASKS).map(({ name }) => name), ['title', 'done', 'size', 'due', 'updatedAt']);
  const calls = { ...TASKS, name: 'integration-calls', columns: ['endpoint', 'payer', 'status', 'credits', 'ms', 'jobId'].map((name) => column(name)) };
  assert.deepEqual(tableColumns(calls).map(({ name }) => name), ['endpoint', 'status', 'credits', 'ms', 'updatedAt', 'payer', 'jobId']);
  assert.ok(tableColumns({ ...TASKS, permissions: { ...OWN, read: true } }).some(({ name }) => name === 'userId'));
  assert.equal(titleColumn({ ...TASKS, columns: [column('chatId'), column('text')] }).name, 'text');
});

test('a small table adds records that need nothing but a title', () => {
  const needs = { ...TASKS, columns: [...TASKS.columns, column('price', 'number', { required: true })] };
  const [tasks, priced] = tablesOf([TASKS, needs, { ...TASKS, name: 'ai-chats' }]);
  assert.deepEqual([tasks.canAdd, priced.canAdd], [true, false]);
  assert.deepEqual(tasks.columns.map(({ name, kind }) => [name, kind]), [['done', 'flag'], ['title', 'text'], ['due', 'moment']]);
});

test('only a record that can be whole again is deleted with an undo', () => {
  assert.equal(canCreateAgain(TASKS, row('1', { title: 'x' }), 'alice'), true);
  assert.equal(canCreateAgain(TASKS, row('1'), 'bob'), false);
  assert.equal(canCreateAgain({ ...TASKS, permissions: { ...OWN, create: false } }, row('1'), 'alice'), false);
  const sealed = { ...TASKS, columns: [...TASKS.columns, column('state', 'object', { readOnly: true })] };
  assert.equal(canCreateAgain(sealed, row('1', { state: {} }), 'alice'), false);
  const read = JSON.parse('{"title": "x", "size": 9007199254740993}'); // as it is not any more
  const long = JSON.parse('{"title": "x", "plan": {"atoms": [1000000000000000000000001]}}');
  for (const data of [read, long]) assert.equal(canCreateAgain(TASKS, row('1', data), 'alice'), false);
  assert.deepEqual(writableData(TASKS, row('1', { title: 'x' })), { title: 'x' });
  assert.deepEqual([mayDo(TASKS, row('1'), 'alice', 'update'), mayDo(TASKS, row('1'), 'bob', 'update')], [true, false]);
});

/** Pages of `stored` records, newest first, and a socket whose messages are given by `tell`. */
function paged(stored, { refuse = () => null } = {}) {
  const asked = [];
  const sent = [];
  const subscriptions = [];
  const socket = {
    phase: 'open',
    onPhase: () => () => {},
    subscribe(_name, where, receive, cursor) {
      const one = { where, receive, cursor };
      subscriptions.push(one);
      if (cursor === undefined) setTimeout(() => receive({ type: 'snapshot', records: [], cursor: 'c1' }));
      return () => void subscriptions.splice(subscriptions.indexOf(one), 1);
    },
  };
  const transport = {
    async get(path, query) {
      asked.push(query);
      if (!query) return stored.find(({ recordId }) => path.endsWith(recordId));
      const from = Number(query.cursor ?? 0);
      const records = stored.slice(from, from + query.limit);
      return { records, nextCursor: from + query.limit < stored.length ? `${from + query.limit}` : null };
    },
    async patch(path, data, headers) {
      sent.push([data, headers['If-Match']]);
      const error = refuse(sent.length);
      if (error) throw error;
      const at = stored.findIndex(({ recordId }) => path.endsWith(recordId));
      return (stored[at] = { ...stored[at], data: { ...stored[at].data, ...data }, updatedAt: `${stored[at].updatedAt}+` });
    },
  };
  const rows = createPagedRows('tasks', { transport, socket }, { size: 3 });
  const tell = (action, record) => subscriptions.at(-1).receive({ type: 'change', action, record });
  return { rows, transport, socket, asked, sent, subscriptions, tell, ids: () => rows.list.map(({ recordId }) => recordId) };
}

const FIVE = () => ['5', '4', '3', '2', '1'].map((id) => row(id, { title: id }));

test('the first page is read after the place in the feed is known, without a snapshot', async () => {
  const { ids, subscriptions, rows, asked } = paged(FIVE());
  await settle();
  assert.deepEqual(ids(), ['5', '4', '3']);
  assert.deepEqual(subscriptions.map(({ cursor, where }) => [cursor, where]), [['c1', {}]]);
  assert.deepEqual([asked.length, asked[0].limit, rows.hasMore], [1, 3, true]);
});

test('new records within the loaded pages are shown, those beyond are counted', async () => {
  const { rows, ids, tell } = paged(FIVE());
  await settle();
  tell('added', row('6'));
  tell('added', row('0'));
  assert.deepEqual([ids(), rows.news], [['6', '5', '4', '3'], 1]);
  tell('removed', { recordId: '0' });
  assert.equal(rows.news, 0);
});

test('a crowd of new records is counted after the first hundred', async () => {
  const { rows, tell } = paged(FIVE());
  await settle();
  for (let n = 100; n < 300; n += 1) tell('added', row(`6${n}`));
  assert.deepEqual([rows.list.length, rows.news], [103, 100]);
});

test('the next page brings no record twice', async () => {
  const stored = FIVE();
  const { rows, ids, tell } = paged(stored);
  await settle();
  stored.unshift(row('6')); // so that the next page begins with a record of the first one
  tell('added', stored[0]);
  tell('removed', { recordId: '4' });
  await rows.more();
  assert.deepEqual([ids(), rows.hasMore], [['6', '5', '3', '2', '1'], false]);
});

test('a change that arrives while a page is read is applied after it', async () => {
  const { rows, ids, tell } = paged(FIVE());
  await settle();
  const reading = rows.readAgain();
  tell('removed', { recordId: '5' });
  await reading;
  assert.deepEqual(ids(), ['4', '3']);
});

test('rows that were asked for before the filter was changed are not shown', async () => {
  const { rows, ids, asked, tell } = paged(FIVE());
  await settle();
  const reading = rows.readAgain();
  rows.ask({ where: { title: '1' } });
  await reading;
  assert.deepEqual([ids(), rows.loaded, rows.hasMore], [[], false, false]);
  await settle();
  tell('removed', { recordId: '5' }); // no reading is left over that would keep it waiting
  assert.deepEqual([ids(), asked.at(-1).where], [['4', '3'], { title: '1' }]);
});

test('an older change never takes a newer one back', async () => {
  const { rows, tell } = paged(FIVE());
  await settle();
  tell('updated', row('5', { title: 'new' }, { updatedAt: '3' }));
  tell('updated', row('5', { title: 'old' }, { updatedAt: '2' }));
  assert.equal(rows.rows['5'].data.title, 'new');
});

test('an answer that was on its way before a save does not take the save back', async () => {
  const { rows, transport } = paged(FIVE());
  await settle();
  const { get } = transport;
  const gate = later();
  transport.get = async (...parts) => {
    const answer = structuredClone(await get(...parts));
    await gate.promise;
    return answer;
  };
  const reading = rows.readAgain();
  await rows.change(rows.rows['5'], { title: 'mine' });
  gate.resolve();
  await reading;
  assert.equal(rows.rows['5'].data.title, 'mine');
});

test('a record that was deleted here does not come back with an earlier change', async () => {
  const { rows, ids, tell, transport } = paged(FIVE());
  transport.delete = async () => {};
  await settle();
  await rows.remove(rows.rows['5']);
  tell('updated', row('5'));
  tell('added', row('5'));
  assert.deepEqual(ids(), ['4', '3']);
  await rows.readAgain(); // the answer may have been on its way before
  assert.deepEqual(ids(), ['4', '3']);
});

test('a record that was deleted elsewhere leaves the list when it is deleted here, also without a socket', async () => {
  const { rows, ids, transport } = paged(FIVE());
  await settle();
  const refuse = (status, code) => (transport.delete = async () => Promise.reject(new ApiError(status, { error: code })));
  refuse(403, 'forbidden');
  await assert.rejects(rows.remove(rows.rows['5']));
  refuse(404, 'not_found');
  await assert.rejects(rows.remove(rows.rows['4']));
  assert.deepEqual(ids(), ['5', '3']);
});

test('a new record beyond the loaded pages is no news once its page is loaded', async () => {
  const stored = FIVE();
  const { rows, tell } = paged(stored);
  await settle();
  stored.push(row('0'));
  tell('added', row('0'));
  await rows.more();
  assert.deepEqual([rows.list.length, rows.news], [6, 0]);
});

test('a change that was waiting for one reading is not applied after the next, which is newer', async () => {
  const { rows, ids, tell } = paged(FIVE());
  await settle();
  const first = rows.readAgain();
  tell('removed', { recordId: '5' }); // from what the filter finds, and back again before the next reading
  await Promise.all([first, rows.readAgain()]);
  assert.deepEqual(ids(), ['5', '4', '3']);
});

test('without a socket the rows come by HTTP, and none after the page is left', async () => {
  const { transport, socket } = paged(FIVE());
  const phases = [];
  Object.assign(socket, { phase: 'connecting', subscribe: () => () => {}, onPhase: (listener) => (phases.push(listener), () => {}) });
  const [kept, left] = [0, 1].map(() => createPagedRows('tasks', { transport, socket }, { size: 3 }));
  await settle();
  assert.equal(kept.list.length, 0);
  socket.phase = 'waiting';
  for (const tell of phases) tell();
  left.stop();
  await settle();
  assert.deepEqual([kept.list.length, left.list.length], [3, 0]);
});

test('a change of a record that has left the list meanwhile does not bring it back', async () => {
  const { rows, ids, tell, transport } = paged(FIVE());
  await settle();
  const { patch } = transport;
  const gate = later();
  transport.patch = async (...request) => (await gate.promise, patch(...request));
  const changing = rows.change(rows.rows['5'], { title: 'mine' });
  tell('removed', { recordId: '5' });
  gate.resolve();
  await changing;
  assert.deepEqual(ids(), ['4', '3']);
});

test('what others have changed to the same value meanwhile is no conflict', async () => {
  const stored = FIVE();
  const { rows, sent } = paged(stored, { refuse: (count) => (count === 1 ? stale() : null) });
  await settle();
  stored[0] = row('5', { title: 'done' }, { updatedAt: '2' });
  await rows.change(rows.list[0], { title: 'done' });
  assert.deepEqual(sent.map(([, version]) => version), ['1', '2']);
});

test('after changes were missed, the pages are read again', async () => {
  const { subscriptions, asked } = paged(FIVE());
  await settle();
  subscriptions[0].receive({ type: 'resync' });
  await settle();
  assert.deepEqual([asked.length, subscriptions.length, subscriptions[0].cursor], [2, 1, 'c1']);
});

test('rows that could not be read are read as soon as the socket is open again', async () => {
  const { rows, ids, transport, socket, asked } = paged(FIVE());
  const phases = [];
  const { get } = transport;
  transport.get = async () => {
    throw new ApiError(503, { error: 'unavailable' });
  };
  socket.onPhase = (listener) => (phases.push(listener), () => {});
  const late = createPagedRows('tasks', { transport, socket }, { size: 3 });
  await settle();
  assert.deepEqual([rows.loaded, late.loaded, Boolean(late.problem)], [false, false, true]);
  transport.get = get;
  await rows.refresh(); // of a page that is shown again, with an open socket
  for (const tell of phases) tell(); // a connection that goes on has no news of what was not read
  await settle();
  assert.deepEqual([ids(), late.list.length, late.problem, asked.length], [['5', '4', '3'], 3, '', 2]);
  await rows.refresh();
  assert.equal(asked.length, 2);
});

test('rows that were not read again stay unread although older ones are loaded behind them', async () => {
  const { rows, transport } = paged(FIVE());
  await settle();
  const { get } = transport;
  transport.get = async () => Promise.reject(new NetworkError());
  await rows.readAgain();
  transport.get = get;
  await rows.more();
  assert.deepEqual([rows.list.length, rows.isUnread], [5, true]);
  await rows.refresh();
  assert.equal(rows.isUnread, false);
  transport.get = async () => Promise.reject(new NetworkError());
  await rows.readAgain();
  rows.ask({ where: {} }); // other rows, which are being read
  assert.equal(rows.isUnread, false);
  rows.stop();
});

test('rows that can not be followed just now are read, and followed later', async () => {
  const { transport, socket } = paged(FIVE());
  await settle(); // its own rows
  const open = [];
  socket.subscribe = (_name, _where, receive, cursor) => (open.push({ receive, cursor }), () => void open.splice(0));
  const rows = createPagedRows('tasks', { transport, socket }, { size: 3 });
  const refusal = { type: 'error', error: 'unavailable', message: 'away' };
  const problems = new Set();
  rows.onChange(() => problems.add(rows.problem));
  open[0].receive(refusal);
  await settle();
  open[0].receive(refusal); // an alert would be read out with every one
  await settle();
  assert.deepEqual([rows.list.length, [...problems], open.length], [3, [''], 1]);
  open[0].receive({ type: 'snapshot', records: [], cursor: 'c9' });
  await settle();
  open[0].receive(refusal);
  assert.deepEqual([open.map(({ cursor }) => cursor), rows.problem], [['c9'], '']);
});

test('the problem of a list that is read in vain again and again is said once', () => {
  const list = { problem: 'Not now.', offline: false };
  const line = createProblemLine(list);
  line.update();
  const [said] = line.node.childNodes;
  line.update();
  assert.equal(line.node.childNodes[0], said);
  list.problem = 'Not now either.';
  line.update();
  assert.equal(line.node.textContent, 'Not now either.');
});

const stale = () => new ApiError(409, { error: 'conflict', message: 'changed' });

test('a change of another column from elsewhere is no conflict', async () => {
  const stored = FIVE();
  const { rows, sent } = paged(stored, { refuse: (count) => (count === 1 ? stale() : null) });
  await settle();
  stored[0] = row('5', { title: '5', size: 7 }, { updatedAt: '2' });
  await rows.change(rows.list[0], { title: 'mine' });
  assert.deepEqual(sent, [[{ title: 'mine' }, '1'], [{ title: 'mine' }, '2']]);
  assert.deepEqual(rows.rows['5'].data, { userId: 'alice', title: 'mine', size: 7 });
});

test('a change of the same column from elsewhere is a conflict, and nothing is written', async () => {
  const stored = FIVE();
  const { rows, sent } = paged(stored, { refuse: stale });
  await settle();
  stored[0] = row('5', { title: 'theirs' }, { updatedAt: '2' });
  await assert.rejects(rows.change(rows.list[0], { title: 'mine' }), { columns: ['title'] });
  assert.equal(sent.length, 1);
  assert.equal(rows.rows['5'].data.title, 'theirs');
});

test('two changes of a record go one after the other, each with the newest version', async () => {
  const { rows, sent } = paged(FIVE());
  await settle();
  await Promise.all([rows.change(rows.list[0], { title: 'a' }), rows.change(rows.list[0], { size: 2 })]);
  assert.deepEqual(sent, [[{ title: 'a' }, '1'], [{ size: 2 }, '1+']]);
});

function memory() {
  const map = new Map();
  return { getItem: (k) => map.get(k) ?? null, setItem: (k, v) => map.set(k, v), removeItem: (k) => map.delete(k) };
}

test('the key of a create outlives a reload, for the same values, until its form is thrown away', () => {
  const storage = memory();
  const open = () => createNewRecord(createDrafts(storage, 'alice'), 'tasks');
  open().keys.set('{"title":"Badges"}', 'k1');
  const again = open();
  assert.deepEqual([again.keys.get('{"title":"Badges"}'), again.keys.get('{"title":"Hall"}')], ['k1', undefined]);
  again.clear();
  assert.deepEqual([again.keys.get('{"title":"Badges"}'), open().keys.get('{"title":"Badges"}')], [undefined, undefined]);
});

test('a create clears the draft that it was made of, and not what was typed since', async () => {
  const record = createNewRecord(createDrafts(memory(), 'alice'), 'tasks');
  const type = (text) => record.keep({ isChanged: () => true, draft: () => ({ title: { text } }) });
  type('Badges');
  await record.run(async () => row('r1'));
  assert.equal(record.exists(), false);
  type('Hall');
  const running = record.run(async () => row('r2'));
  assert.notEqual(record.running, null);
  type('Hall and stage');
  await running;
  assert.deepEqual([record.exists(), record.running], [true, null]);
});

test('a create that fails after its form was closed is told, unless the form was thrown away', async () => {
  for (const [isCanceled, told] of [[false, ['The task was not created. Too many requests. “New task” keeps what you have typed.']], [true, []]]) {
    const [answer, unsaved] = [later(), []];
    const draft = createNewRecord(createDrafts(memory(), 'alice'), 'tasks');
    const panel = createCreatePanel({ collection: TASKS, create: () => answer.promise, draft, onClose() {}, onCreated() {}, onUnsaved: (text) => unsaved.push(text) });
    const text = below(panel.node, 'textarea');
    text.value = 'mine';
    text.listeners.input();
    const creating = below(panel.node, 'form').listeners.submit(press);
    if (isCanceled) below(panel.node, 'button').listeners.click();
    panel.stop();
    answer.reject(new ApiError(429, { error: 'rate_limited', message: 'Too many requests.' }));
    await creating;
    assert.deepEqual(unsaved, told);
  }
});

test('a refusal says nothing about an earlier create whose answer was lost: the next one has its key', async () => {
  const keys = [];
  const outcomes = [new NetworkError('away'), new ApiError(429, {}), new ApiError(409, {}), row('r1')];
  const transport = {
    async call(_method, _path, { headers }) {
      keys.push(headers['Idempotency-Key']);
      const outcome = outcomes[keys.length - 1];
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
  const writes = createRecordWrites('tasks', transport, { put() {}, drop() {}, rowOf: () => undefined });
  for (const outcome of outcomes) await writes.create({ title: 'Badges' }).catch((error) => assert.equal(error, outcome));
  assert.deepEqual([keys[1] === keys[0], keys[2] === keys[0], keys[3] === keys[0]], [true, true, false]);
});

test('an id that a client has chosen is one piece of a path, whatever is in it', async () => {
  const asked = [];
  const transport = { delete: async (path) => asked.push(new URL(path, 'http://own.test').pathname) };
  const writes = createRecordWrites('ai-messages', transport, { put() {}, drop() {}, rowOf: () => undefined });
  for (const id of ['u/1', '../notes/n1', 'a?b#c']) await writes.remove({ recordId: id });
  assert.deepEqual(asked.map(decodeURIComponent), ['u/1', '../notes/n1', 'a?b#c'].map((id) => `/api/records/ai-messages/${id}`));
});

test('what is typed while a record is saved stays, and the rest is as it was stored', () => {
  const form = createRecordForm([TITLE, column('note'), column('place')], { title: 'a', note: 'b', place: 'c' }, { canEdit: () => true, onInput() {} });
  const type = (texts) => form.restore(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, { text, base: null }])));
  type({ title: 'A', note: 'B' });
  const sent = form.draft();
  type({ title: 'A and more', place: 'C' });
  form.saved({ title: 'A', note: 'B!', place: 'c' }, sent);
  assert.deepEqual(form.draft(), { title: { text: 'A and more', base: 'A' }, place: { text: 'C', base: 'c' } });
  form.saved({ title: 'A and more', note: 'B!', place: 'C' }, form.draft());
  assert.deepEqual([form.isChanged(), form.draft()], [false, {}]);
});

test('a refusal of a form that comes late takes the focus from nothing else', (t) => {
  t.after(() => delete document.activeElement);
  const form = createRecordForm([TITLE], { title: 'a' }, { canEdit: () => true, onInput() {} });
  const [save, elsewhere] = ['button', 'textarea'].map((tag) => document.createElement(tag));
  let count = 0;
  form.node.querySelector = () => ({ focus: () => (count += 1), scrollIntoView() {} });
  for (const [now, focused] of [[save, 1], [document.body, 2], [elsewhere, 2]]) {
    document.activeElement = save;
    form.read();
    document.activeElement = now;
    form.refuse({ title: ['Is taken.'] });
    assert.equal(count, focused);
  }
});

test('the error of an earlier filter is not shown for the next one', async () => {
  const { rows, transport } = paged(FIVE());
  await settle();
  const { get } = transport;
  transport.get = async () => {
    throw new ApiError(400, { error: 'invalid_request', message: 'The filter is too long.' });
  };
  rows.ask({ where: { title: 'long' } });
  await settle();
  assert.equal(rows.problem, 'The filter is too long.');
  transport.get = get;
  rows.ask({ where: { title: '1' } });
  assert.equal(rows.problem, '');
});

test('another order or other records begin at their first page', async () => {
  const { rows, asked } = paged(FIVE());
  await settle();
  rows.ask({ sort: 'title' });
  assert.deepEqual([rows.list, rows.hasMore], [[], false]);
  await rows.more(); // the end of the table is in view
  await settle();
  assert.deepEqual(asked.map(({ sort, cursor }) => [sort, cursor]), [['-createdAt', undefined], ['title', undefined]]);
});

/** The first node below of one of these tags. */
function below(node, ...tags) {
  if (tags.includes(node.tag)) return node;
  return node.childNodes?.map((child) => below(child, ...tags)).find(Boolean);
}

/** A promise that the test settles: `promise`, `resolve` and `reject`. */
function later() {
  const one = {};
  one.promise = new Promise((resolve, reject) => Object.assign(one, { resolve, reject }));
  return one;
}

const press = { preventDefault() {}, stopPropagation() {} };

test('a record is saved once at a time: a change of one’s own is never taken for another’s', async () => {
  const { transport, socket, sent } = paged([row('5', { title: '5' })]);
  const { patch } = transport;
  const gate = later();
  transport.patch = async (...request) => (await gate.promise, patch(...request));
  const context = { transport, socket, subject: 'alice', drafts: createDrafts(memory(), 'alice') };
  const nothing = () => {};
  const panel = createRecordPanel({ context, collection: TASKS, recordId: '5', onClose: nothing, onSaved: nothing, onDelete: nothing, onTitle: nothing });
  await settle();
  const [form, text] = [below(panel.node, 'form'), below(panel.node, 'textarea')];
  const type = (value) => (Object.assign(text, { value }), text.listeners.input());
  type('mine');
  const saving = form.listeners.submit(press);
  type('mine too');
  await form.listeners.submit(press);
  assert.deepEqual([sent, form.childNodes.at(-1).childNodes[0].getAttribute('aria-disabled')], [[], 'true']);
  gate.resolve();
  await saving;
  await form.listeners.submit(press);
  assert.deepEqual(sent, [[{ title: 'mine' }, '1'], [{ title: 'mine too' }, '1+']]);
  assert.doesNotMatch(panel.node.textContent, /in the meantime/);
  panel.stop();
});

test('the error of a save stays while another column of the record is changed elsewhere', async () => {
  const { panel, save, tell } = await changing();
  await save();
  tell('updated', row('5', { title: '5', size: 3 }, { updatedAt: '2' }));
  assert.match(panel.node.textContent, /no longer allowed/);
  tell('removed', { recordId: '5' });
  assert.match(panel.node.textContent, /deleted in the meantime/);
  panel.stop();
});

test('a save that is refused after its panel was closed is told beside the table', async () => {
  const { panel, save, unsaved, said } = await changing();
  const saving = save();
  panel.stop();
  await saving;
  assert.deepEqual(unsaved, ['“5” was not saved. It is no longer allowed. The panel of the record keeps your changes.']);
  assert.doesNotMatch(panel.node.textContent, /no longer allowed/);
  assert.deepEqual(said, []);
});

/** The panel of a record with a changed title, whose save is refused. */
async function changing() {
  const [unsaved, said] = [[], []];
  const refuse = () => new ApiError(403, { error: 'forbidden', message: 'It is no longer allowed.' });
  const { transport, socket, subscriptions } = paged([row('5', { title: '5' })], { refuse });
  const context = { transport, socket, subject: 'alice', drafts: createDrafts(memory(), 'alice') };
  const onSaved = (stored) => said.push(stored);
  const panel = createRecordPanel({ context, collection: TASKS, recordId: '5', onClose() {}, onSaved, onUnsaved: (text) => unsaved.push(text), onDelete() {}, onTitle() {} });
  await settle();
  const text = below(panel.node, 'textarea');
  Object.assign(text, { value: 'mine' });
  text.listeners.input();
  const save = () => below(panel.node, 'form').listeners.submit(press);
  const tell = (action, record) => subscriptions.at(-1).receive({ type: 'change', action, record });
  return { panel, save, tell, unsaved, said };
}

/** A cell of a title that is being edited; each change waits for `saves`. @param kept how the server stores a title */
function editing(kept = (title) => title) {
  const [sent, saves, lost, moves] = [[], [], [], []];
  const onClose = (_cell, step) => (moves.push(step), leave());
  const change = (_row, data, base) => (sent.push([data.title, base.title]), saves.push(later()), saves.at(-1).promise.then(() => row('5', { title: kept(data.title) })));
  const one = createGridRow({ collection: TASKS, columns: [TITLE], subject: 'alice', change, isShown: () => true, onClose, onLost: (typed) => lost.push(typed) });
  one.update(row('5', { title: 'old' }), false);
  const cell = one.node.childNodes[1];
  document.createElement('tbody').append(one.node);
  const pressIn = (key) => below(cell, 'textarea').listeners.keydown({ ...press, key });
  const type = (value) => Object.assign(below(cell, 'textarea'), { value });
  const edit = () => cell.listeners.dblclick();
  const leave = () => (delete document.activeElement, below(cell, 'textarea')?.listeners.blur());
  const back = () => (document.activeElement = below(cell, 'textarea'));
  const isOpen = () => below(cell, 'textarea') !== undefined;
  edit();
  return { one, cell, sent, saves, lost, moves, type, edit, leave, back, isOpen, press: pressIn };
}

test('a cell whose time was emptied shows no earlier time', () => {
  const one = createGridRow({ collection: TASKS, columns: [TASKS.columns[4]], subject: 'alice', change() {}, isShown: () => true, onClose() {}, onLost() {} });
  const text = one.node.childNodes[1].childNodes[0];
  one.update(row('5', { due: '2026-11-23T10:00:00Z' }), false);
  assert.equal(text.title, '2026-11-23T10:00:00Z');
  one.update(row('5'), false);
  assert.deepEqual([text.textContent, text.title], ['', '']);
});

test('what is typed into a cell while it is saved stays, and is saved next', async () => {
  const { one, sent, saves, type, press: key, back } = editing();
  type('first');
  key('Enter');
  back();
  type('second');
  saves[0].resolve();
  await settle();
  assert.equal(one.typed(), 'second');
  key('Enter');
  saves[1].resolve();
  await settle();
  assert.deepEqual([sent, one.typed()], [[['first', 'old'], ['second', 'first']], '']);
});

test('what is saved next is a change of what the server has stored, which may write a value in another way', async () => {
  const { sent, saves, type, press: key, back } = editing((title) => title.toUpperCase());
  type('first');
  key('Enter');
  back();
  saves[0].resolve();
  await settle();
  type('second');
  key('Enter');
  assert.deepEqual(sent, [['first', 'old'], ['second', 'FIRST']]);
  saves[1].resolve();
  await settle();
});

test('what is typed into a cell while it is saved is saved behind it where the cell is left', async () => {
  const { sent, saves, type, press: key, leave, back } = editing();
  type('first');
  key('Enter');
  back();
  type('second');
  leave();
  assert.equal(sent.length, 1);
  saves[0].resolve();
  await settle();
  assert.deepEqual(sent, [['first', 'old'], ['second', 'first']]);
  saves[1].resolve();
  await settle();
});

test('who leaves a cell by a key is in the next one before the save has ended, and stays there', async () => {
  for (const [name, step] of [['Tab', 1], ['Enter', 0]]) {
    const { saves, moves, type, press: key, isOpen } = editing();
    type('first');
    key(name);
    assert.deepEqual([saves.length, moves, isOpen()], [1, [step], true]);
    saves[0].resolve();
    await settle();
    assert.deepEqual([moves, isOpen()], [[step], false]);
  }
});

test('a cell whose value can not be read is not left by a key', (t) => {
  t.after(() => delete document.activeElement);
  const { saves, moves, press: key, back } = editing();
  back().validity = { badInput: true };
  key('Tab');
  assert.deepEqual([saves, moves], [[], []]);
});

test('a letter on a cell types over what is being saved, and not over what was refused', async () => {
  for (const isRefused of [false, true]) {
    const { one, cell, saves, type, press: key, back } = editing();
    type('first');
    key('Enter');
    if (isRefused) saves[0].reject(new NetworkError());
    await settle();
    let isKept = false; // from the field, which has the focus by then
    cell.listeners.keydown({ ...press, preventDefault: () => (isKept = true), key: 'x', target: cell, getModifierState: () => false });
    assert.deepEqual([one.typed(), isKept], isRefused ? ['first', false] : ['x', true]);
    back();
    saves[0].resolve();
    await settle();
    assert.equal(one.typed(), isRefused ? 'first' : 'x');
  }
});

test('a refusal gives the field to who waits for it on the cell, and to nobody else', async (t) => {
  t.after(() => delete document.activeElement);
  for (const isWaiting of [true, false]) {
    const { cell, saves, type, press: key } = editing();
    type('first');
    key('Enter');
    let count = 0;
    below(cell, 'textarea').focus = () => (count += 1);
    document.activeElement = isWaiting ? cell : document.body;
    saves[0].reject(new NetworkError());
    await settle();
    assert.equal(count, Number(isWaiting));
  }
});

test('who comes back into a cell before its save ends goes on typing there', async () => {
  const { one, sent, saves, type, press: key, leave, back, isOpen } = editing();
  type('first');
  key('Enter');
  back();
  type('sec');
  saves[0].resolve();
  await settle();
  assert.deepEqual([sent.length, one.typed()], [1, 'sec']);
  key('Enter');
  back();
  saves[1].resolve();
  await settle();
  assert.deepEqual([one.typed(), isOpen()], ['', true]);
  leave();
  assert.equal(isOpen(), false);
});

test('a cell whose window is left is saved and stays open', async (t) => {
  t.after(() => delete document.activeElement);
  const { sent, saves, type, back, isOpen } = editing();
  for (const text of ['old', 'first']) {
    type(text);
    back().listeners.blur(); // the field is still that of the page
    saves[0]?.resolve();
    await settle();
    assert.deepEqual([sent.length, isOpen()], [text === 'old' ? 0 : 1, true]);
  }
});

test('a save that ends after its row has left the table takes the focus nowhere', async () => {
  const { one, saves, moves, type, press: key } = editing();
  type('first');
  key('Tab');
  one.node.remove();
  saves[0].resolve();
  await settle();
  assert.deepEqual([one.typed(), moves], ['', [1]]);
});

test('a save that is refused is not repeated because the cell was left meanwhile', async () => {
  const { one, sent, saves, type, press: key, leave } = editing();
  type('first');
  key('Enter');
  leave();
  saves[0].reject(new NetworkError());
  await settle();
  assert.deepEqual([sent.length, one.typed()], [1, 'first']);
});

test('the problem of a save is gone with the next one, also where the cell stays open', async () => {
  const { one, saves, type, press: key, back } = editing();
  type('first');
  key('Enter');
  saves[0].reject(new NetworkError());
  await settle();
  assert.match(one.node.textContent, /can’t be reached/);
  key('Enter');
  back();
  type('second');
  saves[1].resolve();
  await settle();
  assert.deepEqual([one.typed(), one.node.textContent.includes('can’t be reached')], ['second', false]);
  assert.equal('aria-invalid' in below(one.node, 'textarea').attributes, false);
});

test('a cell that is opened again during a save is saved behind it where it is left', async () => {
  for (const isLeft of [true, false]) {
    const { one, sent, saves, type, edit, press: key, leave, back } = editing();
    type('first');
    key('Enter');
    key('Escape');
    edit();
    back();
    type('second');
    if (isLeft) leave();
    saves[0].resolve();
    await settle();
    assert.deepEqual([sent.map(([title]) => title), one.typed()], isLeft ? [['first', 'second'], ''] : [['first'], 'second']);
    saves[1]?.resolve();
    await settle();
  }
});

test('what is being saved while its row leaves the table is lost only if it can not be saved', async () => {
  const { one, saves, lost, type, press: key } = editing();
  type('first');
  key('Enter');
  one.node.remove();
  assert.equal(one.typed(), '');
  type('first and more');
  assert.equal(one.typed(), 'first and more');
  type('first');
  saves[0].reject(new NetworkError());
  await settle();
  assert.deepEqual(lost, ['first']);
});

test('a save that ends late does not close a cell that was opened again', async () => {
  const { one, saves, type, edit, press: key, back } = editing();
  type('first');
  key('Enter');
  key('Escape');
  edit();
  back();
  type('second');
  saves[0].resolve();
  await settle();
  assert.equal(one.typed(), 'second');
});

test('a text that others have changed since is saved over theirs only at the second press', async () => {
  const [sent, said] = [[], []];
  const save = async (_column, value) => Boolean(sent.push(value));
  const cell = createCell({ ...TITLE, label: 'Title', kind: 'text', isTitle: true }, save, (words) => said.push(words));
  const { node } = cell;
  const show = (title) => cell.update(row('5', { title }), title);
  const leave = async () => (node.listeners.blur(), settle());
  node.value = '';
  show('old');
  node.value = 'mine';
  show('theirs');
  await leave();
  assert.deepEqual([sent, node.value], [[], 'mine']);
  assert.match(said[0], /changed to “theirs”/);
  await leave();
  assert.deepEqual([sent, said.length], [['mine'], 1]);
  show('mine');
  node.value = 'the same';
  show('the same'); // others have written just that
  await leave();
  assert.equal(said.length, 1);
  node.value = 'again mine';
  show('theirs again');
  node.listeners.keydown({ ...press, key: 'Escape' });
  await leave();
  assert.deepEqual([node.value, sent.includes('again mine')], ['theirs again', false]);
});

test('a cell beside the chat is saved once at a time', async () => {
  const [sent, saves] = [[], []];
  const save = (_column, value) => (sent.push(value), saves.push(later()), saves.at(-1).promise);
  const cell = createCell({ ...TITLE, label: 'Title', kind: 'text', isTitle: true }, save, () => {});
  const { node } = cell;
  const show = (title) => cell.update(row('5', { title }), title);
  node.value = '';
  show('old');
  node.value = 'first';
  node.listeners.blur();
  await settle();
  node.value = 'second';
  node.listeners.blur();
  await settle();
  assert.deepEqual(sent, ['first']);
  show('first');
  saves[0].resolve(true);
  await settle();
  saves[1].resolve(true);
  await settle();
  assert.deepEqual([sent, cell.abandon()], [['first', 'second'], '']);
});

test('a number that the server writes in another way is changed again without a conflict', async () => {
  const [sent, said] = [[], []];
  const save = async (_column, value) => (show(Number(value.replace(',', '.'))), Boolean(sent.push(value)));
  const cell = createCell({ ...column('size', 'number'), label: 'Size', kind: 'text', isTitle: false }, save, (words) => said.push(words));
  const { node } = cell;
  const show = (size) => cell.update(row('5', { size }), 'row');
  node.value = '';
  show(1);
  node.value = '1,50';
  node.listeners.blur();
  await settle();
  assert.equal(node.value, '1.5');
  node.value = '2';
  node.listeners.blur();
  await settle();
  assert.deepEqual([sent, said], [['1,50', '2'], []]);
});

/** A row with a box, on a server whose answers the test gives. */
function ticking() {
  const answers = [];
  const patch = (path, data) => new Promise((resolve, reject) => answers.push({ data, reject, give: () => resolve(row('5', data, { updatedAt: `${answers.length + 1}` })) }));
  let now = row('5', { done: false });
  let show = () => {};
  const put = (next) => ((now = next), show(now));
  const writes = createRecordWrites('tasks', { patch }, { put, drop() {}, rowOf: () => now });
  return { answers, change: writes.change, shows: (act) => ((show = act), act(now)) };
}

test('a box of the grid that is ticked and unticked at once is saved in turn', async () => {
  const { answers, change, shows } = ticking();
  const one = createGridRow({ collection: TASKS, columns: [TASKS.columns[2]], subject: 'alice', change, isShown: () => true, onClose() {}, onLost() {} });
  const cell = one.node.childNodes[1];
  const [box] = cell.childNodes;
  shows((next) => one.update(next, false));
  for (const value of [true, false]) {
    box.checked = value;
    box.listeners.change();
  }
  await settle();
  // The first change sends what the box shows by then.
  assert.deepEqual([answers.map(({ data }) => data), box.checked, cell.textContent], [[], false, '']);
  box.checked = true;
  box.listeners.change();
  await settle();
  box.checked = false;
  box.listeners.change();
  await settle();
  answers[0].give();
  await settle();
  assert.deepEqual([answers.map(({ data }) => data.done), box.checked], [[true, false], false]);
  answers[1].give();
  await settle();
  assert.deepEqual([box.checked, cell.textContent], [false, '']);
});

test('a box of the pane that is ticked and unticked at once is saved in turn', async () => {
  const { answers, change, shows } = ticking();
  let now;
  const save = async (_column, value) => change(now, { done: value }).then(() => true, () => false);
  const cell = createCell({ ...TASKS.columns[2], label: 'Done', kind: 'flag', isTitle: false }, save, () => {});
  shows((next) => ((now = next), cell.update(next, 'row')));
  cell.node.checked = true;
  cell.node.listeners.change();
  await settle();
  cell.node.checked = false;
  cell.node.listeners.change();
  await settle();
  answers[0].give();
  await settle();
  assert.deepEqual([answers.map(({ data }) => data.done), cell.node.checked], [[true, false], false]);
  answers[1].reject(new ApiError(403, { error: 'forbidden' }));
  await settle();
  assert.equal(cell.node.checked, true);
});

test('who comes back into a cell beside the chat during a save is not saved while typing', async () => {
  const [sent, saves] = [[], []];
  const save = (_column, value) => (sent.push(value), saves.push(later()), saves.at(-1).promise);
  const cell = createCell({ ...TITLE, label: 'Title', kind: 'text', isTitle: true }, save, () => {});
  const { node } = cell;
  node.value = '';
  cell.update(row('5', { title: 'old' }), 'old');
  node.value = 'first';
  node.listeners.keydown({ ...press, key: 'Enter' });
  await settle();
  node.listeners.blur();
  node.listeners.focus?.();
  node.value = 'first and sec';
  cell.update(row('5', { title: 'first' }), 'first');
  saves[0].resolve(true);
  await settle();
  assert.deepEqual(sent, ['first']);
  node.listeners.blur();
  await settle();
  assert.deepEqual(sent, ['first', 'first and sec']);
});

test('a cell with the line ends of Windows is not changed by being passed', async () => {
  const sent = [];
  const cell = createCell({ ...column('text'), label: 'Text', kind: 'text', isTitle: false }, async (_column, value) => sent.push(value), () => {});
  let text = '';
  Object.defineProperty(cell.node, 'value', { get: () => text, set: (next) => (text = next.replaceAll('\r\n', '\n')) });
  cell.node.value = '';
  cell.update(row('5', { text: 'one\r\ntwo' }), 'row');
  cell.node.listeners.blur();
  await settle();
  cell.update(row('5', { text: 'three' }), 'row');
  assert.deepEqual([sent, cell.node.value], [[], 'three']);
});

/** A cell with a time that is being edited; its saves wait for an answer. */
function editingMoment(stored) {
  const saves = [];
  const said = [];
  const save = (_column, value) => new Promise((resolve) => saves.push({ value, resolve }));
  const cell = createCell({ ...column('due', 'datetime'), label: 'Due', kind: 'moment', isTitle: false }, save, (text) => said.push(text));
  const [words, field] = cell.node.childNodes;
  for (const node of [words, field]) node.focus = () => (document.activeElement = node);
  field.reportValidity = () => true;
  cell.update(row('5', { due: stored }), 'row');
  words.listeners.click();
  return { cell, words, field, saves, said };
}

test('a time that others have changed since is saved over theirs only at the second press', async () => {
  const { cell, field, saves, said } = editingMoment('2026-11-23T10:00:00Z');
  cell.update(row('5', { due: '2026-12-01T10:00:00Z' }), 'row');
  field.value = '2026-11-24T10:00';
  field.listeners.blur();
  await settle();
  assert.deepEqual([saves.length, field.hidden, field.value], [0, false, '2026-11-24T10:00']);
  assert.match(said[0], /changed to “1 Dec.*in the meantime/);
  field.listeners.keydown({ key: 'Enter' });
  await settle();
  assert.deepEqual(saves.map(({ value }) => value), ['2026-11-24T10:00']);
});

test('a time is saved once, and its answer takes neither the focus nor what is typed next', async () => {
  const { words, field, saves } = editingMoment('2026-11-23T10:00:00Z');
  field.value = '2026-11-24T10:00';
  field.listeners.keydown({ key: 'Enter' });
  await settle();
  field.value = '2026-11-25T10:00';
  saves[0].resolve(true);
  await settle();
  assert.deepEqual([field.hidden, field.value, document.activeElement], [false, '2026-11-25T10:00', field]);
  document.activeElement = null; // the user has gone on
  field.listeners.blur();
  field.listeners.blur();
  await settle();
  saves[1].resolve(true);
  await settle();
  assert.deepEqual([saves.map(({ value }) => value.slice(0, 10)), field.hidden, words.hidden, document.activeElement], [['2026-11-24', '2026-11-25'], true, false, null]);
});

test('a time that is looked at while another one is saved is not stored again', async () => {
  const { cell, words, field, saves } = editingMoment('2026-11-23T10:00:00Z');
  field.value = '2026-11-24T10:00';
  field.listeners.keydown({ key: 'Enter' });
  await settle();
  field.listeners.keydown({ ...press, key: 'Escape' });
  words.listeners.click();
  cell.update(row('5', { due: '2026-11-24T10:00:00Z' }), 'row');
  saves[0].resolve(true);
  await settle();
  field.listeners.blur();
  await settle();
  assert.deepEqual([saves.length, field.hidden], [1, true]);
});

test('a time that is typed again while another one is saved is neither saved nor closed half-typed', async () => {
  for (const isReopened of [false, true]) {
    const { words, field, saves } = editingMoment('2026-11-23T10:00:00Z');
    field.value = '2026-11-24T10:00';
    field.listeners.keydown({ key: 'Enter' });
    await settle();
    field.listeners.blur();
    if (isReopened) {
      field.listeners.keydown({ ...press, key: 'Escape' });
      field.listeners.blur(); // a browser tells it of a field that is hidden
      words.listeners.click();
    }
    field.listeners.focus?.();
    Object.assign(field, { value: '', validity: { badInput: true } });
    saves[0].resolve(true);
    await settle();
    assert.deepEqual([saves.length, field.hidden], [1, false]);
    Object.assign(field, { value: '2026-11-26T10:00', validity: { badInput: false } });
    field.listeners.blur();
    await settle();
    assert.equal(saves.at(-1).value, '2026-11-26T10:00');
  }
});

test('a cell beside the chat that is left while its save is refused is not saved again', async () => {
  const sent = [];
  const save = async (_column, value) => (sent.push(value), settle(), false);
  const text = createCell({ ...TITLE, label: 'Title', kind: 'text', isTitle: true }, save, () => {});
  const time = createCell({ ...column('due', 'datetime'), label: 'Due', kind: 'moment', isTitle: false }, save, () => {});
  const [words, field] = time.node.childNodes;
  field.reportValidity = () => true;
  Object.assign(text.node, { value: '' });
  for (const cell of [text, time]) cell.update(row('5', { title: 'old' }), 'old');
  words.listeners.click();
  for (const [node, value] of [[text.node, 'new'], [field, '2026-11-24T10:00']]) {
    node.value = value;
    node.listeners.keydown({ ...press, key: 'Enter' });
    await null; // the save has begun
    node.listeners.blur();
  }
  for (let count = 0; count < 4; count += 1) await settle();
  assert.deepEqual(sent, ['new', '2026-11-24T10:00']);
});

test('who comes back to a time before its save ends goes on there', async () => {
  const { field, saves } = editingMoment('2026-11-23T10:00:00Z');
  field.value = '2026-11-24T10:00';
  field.listeners.blur();
  await settle();
  field.listeners.focus();
  saves[0].resolve(true);
  await settle();
  assert.equal(field.hidden, false);
  field.listeners.blur();
  await settle();
  assert.deepEqual([saves.length, field.hidden], [1, true]);
});

test('an incomplete time is thrown away where its field is left', async () => {
  const { field, saves } = editingMoment('2026-11-23T10:00:00Z');
  field.value = '';
  field.validity = { badInput: true };
  field.listeners.blur();
  await settle();
  assert.deepEqual([saves, field.hidden], [[], true]);
});

test('a time that is taken back while another one is saved is saved behind it', async () => {
  const { field, saves } = editingMoment('2026-11-23T10:00:00Z');
  const before = field.value;
  field.value = '2026-11-24T10:00';
  field.listeners.keydown({ key: 'Enter' });
  await settle();
  field.value = before;
  field.listeners.blur();
  saves[0].resolve(true);
  await settle();
  assert.deepEqual(saves.map(({ value }) => value), ['2026-11-24T10:00', before]);
});

test('a time that is only looked at keeps what another one has stored meanwhile', async () => {
  const { cell, field, saves } = editingMoment('2026-11-23T10:00:00Z');
  cell.update(row('5', { due: '2026-12-01T10:00:00Z' }), 'row');
  field.listeners.blur();
  await settle();
  assert.deepEqual([saves, field.hidden], [[], true]);
});

test('the next title, typed while one is added, stays', async () => {
  const adding = later();
  const collection = { list: [], rows: {}, loaded: true, problem: '', onChange: () => () => {}, create: () => adding.promise };
  const drafts = createDrafts(memory(), 'alice');
  const table = createRecordTable(tablesOf([TASKS])[0], collection, { drafts, subject: 'alice', announce() {} });
  const [form, field] = [below(table.node, 'form'), below(table.node, 'input')];
  field.value = 'Milk';
  const submitted = form.listeners.submit(press);
  await form.listeners.submit(press); // a second press adds it no second time
  field.value = 'Milk Bread';
  adding.resolve();
  await submitted;
  assert.equal(field.value, 'Milk Bread');
  await form.listeners.submit(press);
  assert.equal(field.value, '');
});

// One row of a table is put after nothing else.
Object.assign(document.body.constructor.prototype, { insertBefore(node) { this.append(node); } });

test('a time of a year that no date has is refused, and the next one is saved', async () => {
  const sent = [];
  const rows = { 5: row('5', { title: 'Visit' }) };
  const change = async (_row, data) => sent.push(data);
  const collection = { list: [rows[5]], rows, loaded: true, problem: '', onChange: () => () => {}, change };
  const table = createRecordTable(tablesOf([TASKS])[0], collection, { drafts: createDrafts(memory(), 'alice'), subject: 'alice', announce() {} });
  const [words, field] = below(below(table.node, 'tbody'), 'span').childNodes;
  words.listeners.click();
  for (const typed of ['20266-11-24T10:00', '2026-11-24T10:00']) {
    field.value = typed;
    field.listeners.blur();
    await settle();
    if (!sent.length) assert.match(table.node.textContent, /Choose a date and a time/);
  }
  assert.deepEqual(sent, [{ due: new Date('2026-11-24T10:00').toISOString() }]);
});

test('a deletion that ends late takes the focus from nothing else', async (t) => {
  t.after(() => delete document.activeElement);
  const elsewhere = document.createElement('textarea');
  for (const [now, focused] of [[elsewhere, 0], [document.body, 1]]) {
    const gate = later();
    const rows = { 5: row('5', { title: 'Visit' }) };
    const collection = { list: [rows[5]], rows, loaded: true, problem: '', onChange: () => () => {}, remove: () => gate.promise.then(() => rows[5]) };
    const table = createRecordTable(tablesOf([TASKS])[0], collection, { drafts: createDrafts(memory(), 'alice'), subject: 'alice', announce() {} });
    let count = 0;
    below(table.node, 'input').focus = () => (count += 1);
    below(below(table.node, 'tbody').childNodes[0].childNodes.at(-1), 'button').listeners.click();
    document.activeElement = now;
    gate.resolve();
    await settle();
    assert.equal(count, focused);
  }
});

test('a row that is deleted elsewhere loses neither its typed text nor the focus where no row can be added', async (t) => {
  t.after(() => delete document.activeElement);
  const fixed = { ...TASKS, permissions: { ...OWN, create: false } };
  const rows = { 5: row('5', { title: 'Visit' }) };
  const collection = { list: [rows[5]], rows, loaded: true, problem: '', onChange: (listener) => ((collection.tell = listener), () => {}) };
  const table = createRecordTable(tablesOf([fixed])[0], collection, { drafts: createDrafts(memory(), 'alice'), subject: 'alice', announce() {} });
  const field = below(table.node, 'textarea');
  let focused = '';
  below(table.node, 'summary').focus = () => (focused = 'summary');
  field.value = 'Visit the harbour';
  document.activeElement = field;
  Object.assign(collection, { list: [], rows: {} });
  collection.tell();
  assert.match(table.node.textContent, /You had typed “Visit the harbour”/);
  assert.equal(focused, 'summary');
});

/** What deletes rows that can be created again, and the line that says so. */
function deleting() {
  const [removed, made] = [[], []];
  const remove = async (one) => {
    await settle();
    if (removed.includes(one.recordId)) throw new ApiError(404, { error: 'not_found' });
    removed.push(one.recordId);
    return one;
  };
  const create = () => (made.push(later()), made.at(-1).promise);
  const deletion = createDeletion(TASKS, { remove, create }, { subject: 'alice', announce() {}, leave() {} });
  const [text, undo] = deletion.node.childNodes[0].childNodes;
  return { deletion, removed, made, text, undo };
}

test('a double click on Delete deletes once and can be undone', async () => {
  const { deletion, removed, text, undo } = deleting();
  const one = row('1', { title: 'One' });
  assert.deepEqual(await Promise.all([deletion.remove(one), deletion.remove(one)]), [true, true]);
  assert.deepEqual([removed, text.textContent, undo.hidden], [['1'], 'Deleted “One”.', false]);
});

test('an undo restores what was saved just before the deletion', async () => {
  const [made, now] = [[], { 5: row('5', { title: 'old' }) }];
  const patch = async (_path, data) => (await settle(), row('5', data, { updatedAt: '2' }));
  const put = (next) => (now[5] = next);
  const writes = createRecordWrites('tasks', { patch, delete: async () => {} }, { put, drop: () => delete now[5], rowOf: (id) => now[id] });
  const deletion = createDeletion(TASKS, { remove: writes.remove, create: async (data) => made.push(data) }, { subject: 'alice', announce() {}, leave() {} });
  const shown = now[5];
  writes.change(shown, { title: 'new' }); // a press on Delete leaves the cell, which saves it
  await deletion.remove(shown);
  const [text, undo] = deletion.node.childNodes[0].childNodes;
  assert.equal(text.textContent, 'Deleted “new”.');
  await undo.listeners.click();
  assert.deepEqual(made, [{ title: 'new' }]);
});

test('an undo that fails late leaves the undo of a later deletion', async () => {
  const { deletion, made, text, undo } = deleting();
  await deletion.remove(row('1', { title: 'One' }));
  const undoing = undo.listeners.click();
  await deletion.remove(row('2', { title: 'Two' }));
  made[0].reject(new NetworkError());
  await undoing;
  assert.deepEqual([text.textContent, undo.hidden], ['Deleted “Two”.', false]);
  undo.listeners.click();
  made[1].resolve();
  await settle();
  assert.match(text.textContent, /Created again/);
});
