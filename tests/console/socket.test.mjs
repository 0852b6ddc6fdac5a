// The records socket: its state machine, the socket itself, and the collection behind it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { createLiveCollection } from '../../service/browser/shared/live-collection.js';
import { applyMessage, sortRows } from '../../service/browser/shared/live-rows.js';
import { createRecordsSocket } from '../../service/browser/shared/records-socket.js';
import { NOT_STARTED, advance, wait } from '../../service/browser/shared/socket-state.js';

const row = (recordId, title, updatedAt = '2026-01-01') => ({ recordId, data: { title }, createdAt: '2026', updatedAt });
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Applies events one after another; the last state and the effects of the last event. */
function after(...events) {
  return events.reduce(([state], event) => advance(state, event), [NOT_STARTED, []]);
}

const START = { type: 'start' };
const OPENED = { type: 'opened' };
const SUBSCRIBE = { type: 'subscribe', id: 's', collection: 'tasks' };
const lost = (code = 1006, random = 0.5) => ({ type: 'closed', code, random });
const fromServer = (message) => ({ type: 'message', message: { id: 's', ...message } });
const SNAPSHOT = fromServer({ type: 'snapshot', records: [], cursor: 'c1' });

test('a subscription is sent once there is a connection', () => {
  assert.deepEqual(after(START, SUBSCRIBE)[1], []);
  const sent = { do: 'send', message: { op: 'subscribe', id: 's', collection: 'tasks' } };
  assert.deepEqual(after(START, SUBSCRIBE, OPENED)[1], [sent]);
  assert.deepEqual(after(START, OPENED, SUBSCRIBE)[1], [sent]);
});

test('after a reconnect it resumes from the last cursor', () => {
  const change = fromServer({ type: 'change', action: 'added', record: row('r'), cursor: 'c2' });
  const [, effects] = after(START, SUBSCRIBE, OPENED, SNAPSHOT, change, lost(), { type: 'timeout' }, OPENED);
  assert.equal(effects[0].message.cursor, 'c2');
});

test('a resync begins again without a cursor', () => {
  const [state, effects] = after(START, SUBSCRIBE, OPENED, SNAPSHOT, fromServer({ type: 'resync' }));
  assert.deepEqual(effects, [{ do: 'send', message: { op: 'subscribe', id: 's', collection: 'tasks' } }]);
  assert.equal('cursor' in state.subscriptions.s, false);
});

test('a subscription that the server could not begin just now is asked for again, once', () => {
  const refusal = fromServer({ type: 'error', error: 'unavailable', message: 'away' });
  const [refused, effects] = after(START, SUBSCRIBE, OPENED, SNAPSHOT, refusal);
  assert.deepEqual(effects.map((effect) => effect.do), ['deliver', 'try-again']);
  const { id, ms } = effects[1];
  assert.ok(ms > 0);
  const [begun, again] = advance(refused, { type: 'again', id });
  assert.deepEqual(again, [{ do: 'send', message: { op: 'subscribe', id: 's', collection: 'tasks', cursor: 'c1' } }]);
  assert.deepEqual(advance(begun, { type: 'again', id })[1], []);
  const nothing = [[lost(), { type: 'timeout' }], [lost(), { type: 'timeout' }, OPENED], [{ type: 'unsubscribe', id }]];
  for (const events of nothing) assert.deepEqual(advance(events.reduce(([state], event) => advance(state, event), [refused])[0], { type: 'again', id })[1], []);
  const denied = fromServer({ type: 'error', error: 'forbidden', message: 'no' });
  assert.deepEqual(after(START, SUBSCRIBE, OPENED, denied)[1].map((effect) => effect.do), ['deliver']);
});

test('a subscription from a cursor is told of a resync, and not begun again with a snapshot', () => {
  const [, sent] = after(START, OPENED, { ...SUBSCRIBE, cursor: 'c1' });
  assert.deepEqual(sent[0].message, { op: 'subscribe', id: 's', collection: 'tasks', cursor: 'c1' });
  const [, effects] = after(START, OPENED, { ...SUBSCRIBE, cursor: 'c1' }, fromServer({ type: 'resync' }));
  assert.deepEqual(effects.map((effect) => effect.do), ['deliver']);
});

test('a restarting server is tried again at once, then after the usual wait', () => {
  const [state, effects] = after(START, OPENED, lost(1012));
  assert.deepEqual(effects, [{ do: 'wait', ms: 0 }]);
  const [, later] = advance(advance(state, { type: 'timeout' })[0], lost(1012));
  assert.ok(later[0].ms > 0);
});

test('a session that is over signs out and stays away', () => {
  const [state, effects] = after(START, OPENED, lost(4401));
  assert.deepEqual(effects, [{ do: 'sign-out' }]);
  for (const type of ['start', 'timeout', 'reconnect']) assert.deepEqual(advance(state, { type })[1], []);
});

test('waits double up to a limit, and no two clients wait the same', () => {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const span = Math.min(30_000, 1000 * 2 ** attempt);
    assert.deepEqual([wait(attempt, 0), wait(attempt, 1)], [span / 2, span]);
  }
});

test('only a message resets the wait: a proxy may open a connection and drop it', () => {
  const dropped = [OPENED, lost(), { type: 'timeout' }];
  assert.equal(after(START, ...dropped, ...dropped, ...dropped)[0].attempt, 3);
  assert.equal(after(START, SUBSCRIBE, ...dropped, OPENED, SNAPSHOT)[0].attempt, 0);
});

test('a returning network ends the wait', () => {
  assert.deepEqual(after(START, lost(), { type: 'reconnect' })[1], [{ do: 'connect' }]);
  assert.deepEqual(after(START, OPENED, { type: 'reconnect' })[1], []);
});

test('a returning network replaces a connection that may be dead, from its last cursor', () => {
  const before = after(START, SUBSCRIBE, OPENED, SNAPSHOT, { type: 'request', message: { id: 'r' } })[0];
  const [renewed, effects] = advance(before, { type: 'renew' });
  assert.deepEqual(effects.map((effect) => effect.do), ['answer', 'disconnect', 'connect']);
  assert.equal(advance(renewed, OPENED)[1][0].message.cursor, 'c1');
  assert.deepEqual(after(START, { type: 'renew' })[1], []);
  assert.deepEqual(after(START, lost(), { type: 'renew' })[1], [{ do: 'connect' }]);
});

test('an operation without an answer is answered when the connection is lost', () => {
  const ask = { type: 'request', message: { id: 'a', op: 'create' } };
  const [state, effects] = after(START, OPENED, ask, lost());
  assert.equal(effects[0].id, 'a');
  assert.equal(effects[0].message.error, 'connection_lost');
  assert.deepEqual(state.pending, []);
});

test('messages for an ended subscription are ignored', () => {
  assert.deepEqual(after(START, SUBSCRIBE, OPENED, { type: 'unsubscribe', id: 's' }, SNAPSHOT)[1], []);
});

test('rows: a snapshot replaces, changes add and remove, an older version never wins', () => {
  let rows = applyMessage({ x: row('x', 'old') }, { type: 'snapshot', records: [row('a', '1', '2')] });
  assert.deepEqual(Object.keys(rows), ['a']);
  rows = applyMessage(rows, { type: 'change', action: 'updated', record: row('a', 'late', '1') });
  assert.equal(rows.a.data.title, '1');
  rows = applyMessage(rows, { type: 'change', action: 'added', record: row('b', '2') });
  rows = applyMessage(rows, { type: 'change', action: 'removed', record: { recordId: 'a' } });
  rows = applyMessage(rows, { type: 'change', action: 'removed', record: { recordId: 'never-seen' } });
  assert.deepEqual(Object.keys(rows), ['b']);
  const two = { b: row('b', 'x'), a: row('a', 'y') };
  assert.deepEqual(sortRows(two, (r) => r.data.title, true).map((r) => r.recordId), ['a', 'b']);
});

/** A scripted server: `receive` delivers a message to the page. */
class FakeSocket {
  static opened = [];

  constructor(url, protocols) {
    Object.assign(this, { url, protocols, sent: [] });
    FakeSocket.opened.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  receive(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }

  close() {}
}

let stopLast = () => {};

/** Ends the socket of the test before, whose timer would connect once more during this test. */
function connected(transport = {}) {
  stopLast();
  FakeSocket.opened = [];
  const events = [];
  const options = { token: () => 't.o.k', url: 'ws://x', Socket: FakeSocket, random: () => 0 };
  const socket = createRecordsSocket({ ...options, onSessionOver: () => events.push('over') });
  const collection = createLiveCollection('tasks', { socket, transport });
  socket.start();
  stopLast = socket.stop;
  return { socket, collection, events, server: FakeSocket.opened[0] };
}

test('the token travels as a subprotocol, never in the address', () => {
  const { server } = connected();
  assert.deepEqual([server.url, server.protocols], ['ws://x', ['records.v1', 'bearer.t.o.k']]);
});

test('a collection tells a refusal from a problem that passes', () => {
  for (const [error, isRefused] of [['unavailable', false], ['forbidden', true]]) {
    const { collection, server } = connected();
    server.onopen();
    server.receive({ type: 'error', id: server.sent[0].id, error, message: 'No.' });
    assert.deepEqual([collection.problem, collection.refused], ['No.', isRefused]);
    collection.stop();
  }
});

test('a collection follows the socket, and operations go through it', async () => {
  const { collection, server } = connected();
  server.onopen();
  const { id } = server.sent[0];
  server.receive({ type: 'snapshot', id, records: [row('a', 'one')], cursor: '1' });
  assert.deepEqual([collection.loaded, Object.keys(collection.rows)], [true, ['a']]);
  const created = collection.create({ title: 'two' });
  const operation = server.sent.at(-1);
  assert.deepEqual([operation.op, operation.collection, operation.data], ['create', 'tasks', { title: 'two' }]);
  server.receive({ type: 'ok', id: operation.id, record: row('b', 'two') });
  await created;
  assert.deepEqual(Object.keys(collection.rows), ['a', 'b']);
});

test('without the socket a long collection has its newest records, in the order of the snapshot', async () => {
  const all = Array.from({ length: 1100 }, (_, at) => row(`r${at}`, `${at}`));
  const get = async (_path, { sort, limit, cursor }) => {
    const sorted = sort === '-createdAt' ? all.toReversed() : all;
    const end = Number(cursor ?? 0) + limit;
    return { records: sorted.slice(end - limit, end), nextCursor: end < sorted.length ? `${end}` : null };
  };
  const { collection } = connected({ get });
  await collection.refresh();
  const shown = Object.keys(collection.rows);
  assert.deepEqual([shown[0], shown.at(-1)], ['r100', 'r1099']);
});

test('a collection that is too long for a snapshot has its newest records, read again when that is asked for', async () => {
  let reads = 0;
  const get = async (_path, { cursor }) => ({ records: [row(`r${9 - Number(cursor)}`, 'x')], nextCursor: `${(reads += 1)}` });
  const { collection, server } = connected({ get });
  server.onopen();
  server.receive({ type: 'error', id: server.sent[0].id, error: 'too_large', message: 'Use a narrower `where`.' });
  await settle();
  assert.deepEqual([collection.loaded, collection.isCut, collection.problem, reads], [true, true, '', 5]);
  await collection.refresh();
  assert.equal(reads, 10);
});

test('a create is tried again with its key after a lost answer, by the socket or without it', async () => {
  const keys = [];
  const transport = { call: async (_method, _path, { headers }) => (keys.push(headers['Idempotency-Key']), row('b', 'two')), get: async () => ({ records: [] }) };
  const { collection, server } = connected(transport);
  server.onopen();
  const lost = collection.create({ title: 'two' });
  keys.push(server.sent.at(-1).idempotencyKey);
  server.onclose({ code: 1006 });
  await assert.rejects(lost, NetworkError);
  await collection.create({ title: 'two' });
  await collection.create({ title: 'two' });
  assert.deepEqual([keys[0] === keys[1], keys[1] === keys[2]], [true, false]);
});

test('a create that was deleted since is another create the next time', async () => {
  const keys = [];
  const transport = { call: async (_method, _path, { headers }) => Promise.reject((keys.push(headers['Idempotency-Key']), new ApiError(404, { error: 'not_found' }))), get: async () => ({ records: [] }) };
  const { collection } = connected(transport);
  for (let round = 0; round < 2; round += 1) await assert.rejects(collection.create({ title: 'two' }));
  assert.notEqual(keys[0], keys[1]);
});

test('a snapshot that was asked for before a write does not take the write back', async () => {
  const { collection, server } = connected();
  server.onopen();
  const { id } = server.sent[0];
  const old = { type: 'snapshot', id, records: [row('a', 'one'), row('c', 'gone')], cursor: '1' };
  collection.put(row('a', 'new', '2026-01-02'));
  collection.put(row('b', 'two'));
  collection.drop('c');
  server.receive(old);
  assert.deepEqual(Object.values(collection.rows).map(({ data }) => data.title), ['new', 'two']);
  for (const [recordId, action] of [['b', 'added'], ['b', 'removed']]) {
    server.receive({ type: 'change', id, action, record: row(recordId, 'two'), cursor: '2' });
  }
  server.receive({ ...old, records: [] });
  assert.deepEqual(Object.keys(collection.rows), ['a']); // its change was not reported yet
});

test('a snapshot that was asked for after a write has the last word', () => {
  const { collection, server } = connected();
  collection.put(row('a', 'removed elsewhere'));
  server.onopen();
  server.receive({ type: 'snapshot', id: server.sent[0].id, records: [], cursor: '1' });
  assert.deepEqual(collection.rows, {});
});

test('a refusal names its reasons', async () => {
  const { collection, server } = connected();
  server.onopen();
  const refused = collection.remove(row('a', 'x'));
  server.receive({ type: 'error', id: server.sent.at(-1).id, error: 'forbidden', message: 'Not yours.' });
  await assert.rejects(refused, { code: 'forbidden', message: 'Not yours.' });
});

test('a row removed while it was changed stays removed', async () => {
  const { collection, server } = connected();
  server.onopen();
  const { id } = server.sent[0];
  server.receive({ type: 'snapshot', id, records: [row('a', 'one')], cursor: '1' });
  const updated = collection.update(row('a', 'one'), { title: 'new' });
  server.receive({ type: 'change', id, action: 'removed', record: { recordId: 'a' }, cursor: '2' });
  server.receive({ type: 'ok', id: server.sent.at(-1).id, record: row('a', 'new', '3') });
  await updated;
  assert.deepEqual(collection.rows, {});
});

test('without a socket, lists are read by HTTP, page by page, and written by HTTP', async () => {
  const calls = [];
  const pages = { null: { records: [row('b', '2')], nextCursor: 'n' }, n: { records: [row('a', '1')], nextCursor: null } }; // the newest first
  const transport = {
    get: async (path, { cursor }) => pages[cursor],
    patch: async (...sent) => (calls.push(sent), row('a', 'changed', '2027')),
    delete: async (...sent) => calls.push(sent),
  };
  const { collection, socket, server } = connected(transport);
  server.onclose({ code: 1006 });
  await settle();
  assert.deepEqual([socket.phase, Object.keys(collection.rows)], ['waiting', ['a', 'b']]);
  await collection.update(collection.rows.a, { title: 'changed' });
  await collection.remove(collection.rows.b);
  assert.deepEqual(calls, [
    ['/api/records/tasks/a', { title: 'changed' }, { 'If-Match': '2026-01-01' }],
    ['/api/records/tasks/b'],
  ]);
  assert.equal(collection.rows.a.data.title, 'changed');
  socket.stop();
});

test('a collection that the server does not have is missing, not broken', () => {
  const { collection, server } = connected();
  server.onopen();
  server.receive({ type: 'error', id: server.sent[0].id, error: 'not_found', message: 'none' });
  assert.deepEqual([collection.missing, collection.problem], [true, '']);
});

test('a problem is cleared when the connection is back, even if nothing was missed', async () => {
  const { collection, socket, server } = connected({ get: () => Promise.reject(new NetworkError()) });
  server.onclose({ code: 1006 });
  await settle();
  assert.match(collection.problem, /can’t be reached/);
  socket.reconnectNow();
  FakeSocket.opened.at(-1).onopen();
  assert.equal(collection.problem, '');
  socket.stop();
});

test('a collection that the server could not begin just now is there a few seconds later', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { collection, server } = connected();
  server.onopen();
  const { id } = server.sent[0];
  server.receive({ type: 'error', id, error: 'unavailable', message: 'away' });
  assert.equal(collection.problem, 'away');
  t.mock.timers.tick(10_000);
  assert.deepEqual(server.sent.map((message) => [message.op, message.id]), [['subscribe', id], ['subscribe', id]]);
  server.receive({ type: 'snapshot', id, records: [row('a', 'one')], cursor: '1' });
  assert.deepEqual([Object.keys(collection.rows), collection.problem], [['a'], '']);
});

test('a collection that is there says nothing of a refusal to resume it, which no message would end', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { collection, server } = connected();
  server.onopen();
  const { id } = server.sent[0];
  server.receive({ type: 'snapshot', id, records: [row('a', 'one')], cursor: '1' });
  server.receive({ type: 'error', id, error: 'unavailable', message: 'away' });
  t.mock.timers.tick(10_000);
  assert.deepEqual([server.sent.at(-1).cursor, collection.problem], ['1', '']);
  server.receive({ type: 'error', id, error: 'forbidden', message: 'no' });
  assert.equal(collection.problem, 'no');
});

test('a subscription that is refused after every reconnect is asked for no more often than after one', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { server } = connected({ get: async () => ({ records: [] }) });
  let current = server;
  current.onopen();
  const { id } = current.sent[0];
  const refuse = () => current.receive({ type: 'error', id, error: 'unavailable', message: 'away' });
  for (let connections = 0; connections < 3; connections += 1) {
    refuse();
    current.onclose({ code: 1011 });
    t.mock.timers.tick(1000);
    current = FakeSocket.opened.at(-1);
    current.onopen();
  }
  refuse();
  let asked = current.sent.length;
  for (let seconds = 0; seconds < 20; seconds += 1) {
    t.mock.timers.tick(1000);
    if (current.sent.length > asked) refuse();
    asked = current.sent.length;
  }
  assert.equal(asked, 5); // once when it opened, and every five seconds
});

test('a session that the server ends is over here too', () => {
  const { server, events } = connected();
  server.onopen();
  server.onclose({ code: 4401 });
  assert.deepEqual(events, ['over']);
});

test('a replaced socket is ignored', async () => {
  const { socket, server, collection } = connected();
  server.onopen();
  server.onclose({ code: 1012 });
  await settle();
  assert.equal(FakeSocket.opened.length, 2);
  const { id } = server.sent[0];
  server.receive({ type: 'snapshot', id, records: [row('ghost', 'x')], cursor: '1' });
  assert.deepEqual([collection.rows, socket.phase], [{}, 'connecting']);
  socket.stop();
});

test('a newer token gets a connection of its own once what was sent is answered', async () => {
  const { socket, collection, server } = connected();
  server.onopen();
  const created = collection.create({ title: 'two' });
  const operation = server.sent.at(-1);
  socket.useToken();
  assert.equal(FakeSocket.opened.length, 1);
  server.receive({ type: 'ok', id: operation.id, record: row('b', 'two') });
  await created;
  assert.equal(FakeSocket.opened.length, 2);
});

test('a socket whose session was over goes on from its cursor with a newer token', () => {
  const { socket, server } = connected();
  server.onopen();
  const { id } = server.sent[0];
  server.receive({ type: 'snapshot', id, records: [], cursor: '7' });
  server.onclose({ code: 4401 });
  socket.useToken();
  const next = FakeSocket.opened.at(-1);
  next.onopen();
  assert.equal(next.sent[0].cursor, '7');
});

test('a connection that is made anew has the newer token, which waits no longer', () => {
  const request = { type: 'request', message: { id: 'q' } };
  const events = [START, SUBSCRIBE, OPENED, request, { type: 'token' }, lost(), { type: 'timeout' }];
  assert.deepEqual(after(...events, OPENED)[1].map((effect) => effect.do), ['send']);
  assert.deepEqual(after(...events, { type: 'token' }, OPENED)[1].map((effect) => effect.do), ['disconnect', 'connect']);
});

test('a session that ends while a newer token waits for answers goes on with the newer token', () => {
  const request = { type: 'request', message: { id: 'q' } };
  const [state, effects] = after(START, SUBSCRIBE, OPENED, request, { type: 'token' }, lost(4401));
  assert.deepEqual([state.phase, effects.map((effect) => effect.do)], ['connecting', ['answer', 'connect']]);
  const [refused, last] = advance(state, lost(4401));
  assert.deepEqual([refused.phase, last], ['over', [{ do: 'sign-out' }]]);
  assert.equal(after(START, { type: 'token' }, lost(4401))[0].phase, 'connecting', 'before it was open');
  assert.equal(after(START, OPENED, lost(4401))[0].phase, 'over');
});

/** A collection whose reads by HTTP are answered when the test wants it, and its socket, which is lost. */
function unconnected() {
  const reads = [];
  const parts = connected({ get: (_path, query) => new Promise((resolve, reject) => reads.push({ query, resolve, reject })) });
  parts.server.onclose({ code: 1006 });
  const answer = async (read, records, nextCursor = null) => {
    read.resolve({ records, nextCursor });
    await settle();
  };
  return { ...parts, reads, answer };
}

test('what was read by HTTP before the socket was open takes nothing back that it has told', async () => {
  const { socket, collection, reads, answer } = unconnected();
  socket.reconnectNow();
  const next = FakeSocket.opened.at(-1);
  next.onopen();
  next.receive({ type: 'snapshot', id: next.sent[0].id, records: [row('new', 'x')], cursor: '1' });
  await answer(reads[0], [row('deleted', 'y')]);
  assert.deepEqual(Object.keys(collection.rows), ['new']);
  next.onclose({ code: 1006 });
  collection.refresh();
  socket.reconnectNow();
  const last = FakeSocket.opened.at(-1);
  last.onopen();
  last.receive({ type: 'change', action: 'added', id: last.sent[0].id, record: row('newer', 'z'), cursor: '2' });
  await answer(reads[1], [row('new', 'x')]);
  assert.deepEqual(Object.keys(collection.rows), ['new', 'newer']);
  socket.stop();
});

test('of two reads by HTTP the later one counts, in whatever order they are answered', async () => {
  const { socket, collection, reads, answer } = unconnected();
  collection.refresh();
  await answer(reads[1], [row('b', 'now')]);
  await answer(reads[0], [row('a', 'before')]);
  assert.deepEqual(Object.keys(collection.rows), ['b']);
  collection.refresh();
  collection.refresh();
  await answer(reads[3], [row('c', 'now')]);
  reads[2].reject(new NetworkError());
  await settle();
  assert.deepEqual([Object.keys(collection.rows), collection.problem], [['c'], '']);
  socket.stop();
});

test('a list is read by HTTP once while the socket tries, at most a thousand rows of it', async () => {
  const { socket, collection, reads, answer } = unconnected();
  for (let page = 0; page < 5; page += 1) await answer(reads[page], [row(`r${page}`, 'x')], `${page + 1}`);
  assert.deepEqual(reads.map(({ query }) => [query.cursor, query.limit]), [[null, 200], ['1', 200], ['2', 200], ['3', 200], ['4', 200]]);
  assert.deepEqual([Object.keys(collection.rows).length, collection.loaded], [5, true]);
  socket.reconnectNow();
  FakeSocket.opened.at(-1).onclose({ code: 1006 });
  assert.equal(reads.length, 5, 'it is there');
  socket.stop();
});
