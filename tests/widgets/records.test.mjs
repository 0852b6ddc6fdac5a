// Records of a collection for a widget: what the host sends, and what the widget makes of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createListeners } from '../../service/browser/shared/listeners.js';
import { createClientRecords } from '../../service/browser/widgets/client-records.js';
import { createHostRecords } from '../../service/browser/widgets/host-records.js';
import { LIMITS, TYPES, parseHostPort, parseWidgetPort } from '../../service/browser/widgets/messages.js';

const row = (recordId, title, second = 0) => {
  const at = `2026-11-22T18:00:0${second}Z`;
  return { recordId, data: { title }, createdAt: at, updatedAt: at };
};
const rowsOf = (...rows) => Object.fromEntries(rows.map((one) => [one.recordId, one]));

function collectionOf(...rows) {
  const listeners = createListeners();
  const live = { rows: rowsOf(...rows), loaded: true, missing: false, problem: '', onChange: listeners.add, stopped: 0, stop: () => (live.stopped += 1) };
  return Object.assign(live, { set: (values) => [Object.assign(live, values), listeners.notify()] });
}

/** A host and a client on one wire, which notes what goes over it. */
function pair(collections, live = collectionOf()) {
  const wire = { sent: [], seen: [], errors: [], live };
  const send = (message) => {
    wire.sent.push(message);
    assert.ok(wire.client.receive(parseHostPort(message).message));
  };
  wire.host = createHostRecords({ collections, records: () => live, send });
  wire.client = createClientRecords((data) => {
    const { message } = parseWidgetPort(data);
    if (message.type === TYPES.recordsSubscribe) wire.host.subscribe(message);
    else wire.host.unsubscribe(message);
  });
  wire.follow = (name) =>
    wire.client.subscribe(name, { onRecords: (records) => wire.seen.push(records.map((one) => one.data.title)), onError: (error) => wire.errors.push(error.code) });
  return wire;
}

const types = (wire) => wire.sent.map((message) => message.type);

test('a widget gets all rows once, then only what changes', () => {
  const first = row('a', 'Read', 1);
  const wire = pair(['tasks'], collectionOf(first));
  wire.follow('tasks');
  const second = row('b', 'Write', 2);
  wire.live.set({ rows: rowsOf(first, second) });
  wire.live.set({ rows: rowsOf(second) });
  assert.deepEqual(types(wire), [TYPES.recordsSnapshot, TYPES.recordsChange, TYPES.recordsChange]);
  assert.deepEqual(wire.seen, [['Read'], ['Read', 'Write'], ['Write']]);
});

test('many changes at once are one message', () => {
  const wire = pair(['tasks']);
  wire.follow('tasks');
  wire.live.set({ rows: rowsOf(...Array.from({ length: 200 }, (_, at) => row(`r${at}`, `${at}`))) });
  assert.deepEqual(types(wire), [TYPES.recordsSnapshot, TYPES.recordsSnapshot]);
  assert.equal(wire.seen.at(-1).length, 200);
});

test('only collections of the manifest are read', () => {
  let opened = 0;
  const wire = pair(['tasks']);
  const host = createHostRecords({ collections: ['tasks'], records: () => (opened += 1), send: (message) => wire.sent.push(message) });
  host.subscribe({ requestId: 'r', collection: 'users' });
  assert.equal(opened, 0);
  assert.equal(wire.sent[0].error, 'forbidden');
  wire.follow('users');
  assert.deepEqual(wire.errors, ['forbidden']);
});

test('a host without records says so', () => {
  const sent = [];
  createHostRecords({ collections: ['tasks'], send: (message) => sent.push(message) }).subscribe({ requestId: 'r', collection: 'tasks' });
  assert.deepEqual(sent.map(({ type, error }) => [type, error]), [[TYPES.recordsError, 'forbidden']]);
});

test('a collection that is missing ends the subscription, and one that loads is waited for', () => {
  const live = collectionOf();
  live.loaded = false;
  const wire = pair(['tasks'], live);
  wire.follow('tasks');
  assert.deepEqual(wire.sent, []);
  live.set({ loaded: true, missing: true });
  assert.deepEqual(wire.errors, ['not_found']);
  live.set({ rows: rowsOf(row('a', 'Read')) });
  assert.deepEqual([wire.seen, live.stopped], [[], 1]);
});

test('a collection that may not be read ends the subscription', () => {
  const live = collectionOf();
  live.loaded = false;
  const wire = pair(['tasks'], live);
  wire.follow('tasks');
  live.set({ problem: 'You may not read it.', refused: true });
  assert.deepEqual([wire.errors, live.stopped], [['unavailable'], 1]);
});

test('a problem that passes ends no subscription, before and after the rows were read', () => {
  const live = collectionOf(row('a', 'Read'));
  live.loaded = false;
  const wire = pair(['tasks'], live);
  wire.follow('tasks');
  live.set({ problem: 'Not now.' });
  live.set({ loaded: true, problem: '' });
  live.set({ problem: 'No network.' });
  assert.deepEqual([wire.errors, wire.seen, live.stopped], [[], [['Read']], 0]);
});

test('a subscription by an id that is in use opens nothing', () => {
  const sent = [];
  let opened = 0;
  const records = () => ((opened += 1), collectionOf());
  const host = createHostRecords({ collections: ['tasks'], records, send: (message) => sent.push(message) });
  for (let count = 0; count < 3; count += 1) host.subscribe({ requestId: 'r', collection: 'tasks' });
  assert.deepEqual([opened, sent.length], [1, 1]);
});

test('an end on either side stops the live collection, once', () => {
  const wire = pair(['tasks']);
  const stop = wire.follow('tasks');
  stop();
  stop();
  assert.equal(wire.live.stopped, 1);
  wire.follow('tasks');
  wire.host.close();
  assert.equal(wire.live.stopped, 2);
  wire.live.set({ rows: rowsOf(row('a', 'Read')) });
  assert.deepEqual(wire.seen, [[], []]);
});

test('a widget has a limited number of subscriptions', () => {
  const wire = pair(['tasks']);
  for (let number = 0; number <= LIMITS.subscriptions; number += 1) wire.follow('tasks');
  assert.deepEqual(wire.errors, ['too_many']);
});

test('other messages are none of its business, and unknown subscriptions are ignored', () => {
  const { client } = pair(['tasks']);
  assert.equal(client.receive({ type: TYPES.pong }), false);
  assert.equal(client.receive({ type: TYPES.recordsSnapshot, requestId: 'x', records: [] }), true);
});
