// The connections of a canvas, stored and read again, whatever was stored.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createDeliveryQueue } from '../../service/browser/widgets/delivery-queue.js';
import { exportIo, importIo } from '../../service/browser/widgets/io-state.js';
import { forSeeds, randomGraph, randomJson } from './generator.mjs';

const slots = [
  { id: 'in', direction: 'input', type: 'any', title: 'In' },
  { id: 'out', direction: 'output', type: 'any', title: 'Out' },
  { id: 'text', direction: 'input', type: 'string', title: 'Text' },
  { id: 'number', direction: 'output', type: 'number', title: 'Number' },
];
const widgets = (...ids) => ids.map((id) => ({ id, slots }));
const ref = (text) => ({ widgetId: text.split('.')[0], slotId: text.split('.')[1] });
const entry = (id, from, to, more = {}) => ({ id, from: ref(from), to: ref(to), createdAt: `2026-01-0${id.length}`, enabled: true, ...more });
const state = (...connections) => ({ version: 1, connections, widgets: {} });
const reasons = (stored, ...ids) => importIo(stored, widgets(...ids)).broken.map(({ entry, reason }) => [entry.id, reason]);

test('a graph comes back from what it exports, with the same ids and in the same order', () => {
  forSeeds(150, (random) => {
    const { graph, widgets: declared } = randomGraph(random);
    const stored = JSON.parse(JSON.stringify(exportIo(graph)));
    const { graph: again, broken, extra } = importIo(stored, declared);
    assert.deepEqual(broken, []);
    assert.deepEqual(exportIo(again, extra), stored);
    assert.deepEqual(new Set(again.connections.map(({ id }) => id)), new Set(graph.connections.map(({ id }) => id)));
  });
});

test('a stored state of any content is written back as it was', () => {
  forSeeds(150, (random) => {
    const { graph, widgets: declared } = randomGraph(random);
    const junk = Array.from({ length: random.below(5) }, () => randomJson(random));
    const connections = random.shuffled([...graph.connections, ...graph.connections.slice(0, 2), ...junk]);
    const stored = { version: 7, connections: connections.map((each) => withNote(each)), widgets: { w0: { slotsVersion: 3 } }, theme: { a: [1] } };
    const { graph: again, extra } = importIo(stored, declared.slice(random.below(3)));
    assert.deepEqual(exportIo(again, extra), stored);
  });
});

function withNote(connection) {
  return connection?.from ? { ...connection, note: { by: 'bob' } } : connection;
}

test('the order of the entries decides nothing', () => {
  forSeeds(100, (random) => {
    const { graph, widgets: declared } = randomGraph(random);
    const { graph: other } = randomGraph(random, declared);
    const connections = [...graph.connections, ...other.connections];
    const read = (list) => importIo(state(...list), declared).graph.connections.map(({ id, createdAt }) => id + createdAt).sort();
    assert.deepEqual(read(random.shuffled(connections)), read(connections));
  });
});

test('of two connections with one id the same one works in each order', () => {
  const entries = [entry('a', 'w1.out', 'w2.in'), entry('a', 'w2.out', 'w3.in')];
  const read = (list) => importIo(state(...list), widgets('w1', 'w2', 'w3')).graph.connections;
  assert.deepEqual(read(entries), read(entries.toReversed()));
  assert.equal(read(entries).length, 1);
});

test('an entry that does not work is kept with its reason', () => {
  const first = entry('a', 'w1.out', 'w2.in');
  const broken = [
    [entry('bb', 'gone.out', 'w3.in'), 'unknown_widget'], [entry('bc', 'w1.old', 'w3.in'), 'unknown_slot'],
    [entry('bd', 'w1.number', 'w3.text'), 'type_mismatch'], [entry('be', 'w2.out', 'w1.in'), 'cycle'],
    [entry('bf', 'w1.out', 'w2.in'), 'duplicate'], [entry('bg', 'w3.out', 'w2.in'), 'input_taken'],
    [entry('bh', 'w1.in', 'w3.in'), 'wrong_direction'], [entry('bi', 'w1.out', 'w1.in'), 'self'],
    [entry('bj', 'w1.out', 'w3.in', { enabled: 'yes' }), 'malformed'],
  ];
  const stored = state(...broken.map(([each]) => each), first);
  assert.deepEqual(reasons(stored, 'w1', 'w2', 'w3'), broken.map(([{ id }, reason]) => [id, reason]));
});

test('of two connections that close a circle the earlier one works', () => {
  const [early, late] = [entry('a', 'w1.out', 'w2.in'), entry('bb', 'w2.out', 'w1.in')];
  for (const stored of [state(early, late), state(late, early)]) assert.deepEqual(reasons(stored, 'w1', 'w2'), [['bb', 'cycle']]);
});

test('a connection beyond the 500th is kept, but does not work', () => {
  const ids = Array.from({ length: 502 }, (_, at) => `w${at}`);
  const chain = ids.slice(1).map((id, at) => ({ from: ref(`w${at}.out`), to: ref(`${id}.in`), createdAt: String(at).padStart(3, '0') }));
  const { broken, graph, extra } = importIo(state(...chain), widgets(...ids));
  assert.deepEqual(broken.map(({ reason }) => reason), ['too_many']);
  assert.equal(exportIo(graph, extra).connections.length, 501);
});

test('what is no state at all is kept as one broken entry', () => {
  for (const stored of ['text', 7, [1], { connections: 'text' }]) {
    const { graph, broken, extra } = importIo(stored, widgets('w1'));
    assert.deepEqual([graph.connections.length, broken.length, broken[0].reason], [0, 1, 'malformed']);
    assert.equal(exportIo(graph, extra).connections.length, 1);
  }
  assert.deepEqual(exportIo(importIo(null, []).graph), state());
});

test('an entry without an id is a connection with the id of its slots', () => {
  const { id, ...anonymous } = entry('a', 'w1.out', 'w2.in');
  const { graph, broken, extra } = importIo(state(anonymous), widgets('w1', 'w2'));
  assert.match(graph.connections[0].id, /^c_[0-9a-f]{16}$/);
  assert.deepEqual([broken, exportIo(graph, extra)], [[], state(anonymous)]);
});

test('what was disconnected is gone from the stored state, what was connected is there', () => {
  const { graph, extra } = importIo(state(entry('a', 'w1.out', 'w2.in')), widgets('w1', 'w2', 'w3'));
  graph.disconnect('a');
  const { connection } = graph.connect(ref('w2.out'), ref('w3.in'));
  assert.deepEqual(exportIo(graph, extra), state(connection));
});

test('a broken connection that is drawn anew is stored once', () => {
  const { connection } = importIo(state(), widgets('w1', 'w2')).graph.connect(ref('w1.out'), ref('w2.in'));
  const taken = entry('a', 'w3.out', 'w2.in', { createdAt: '2025' });
  const { graph, extra, broken } = importIo(state(taken, connection), widgets('w1', 'w2', 'w3'));
  assert.equal(broken[0].reason, 'input_taken');
  graph.disconnect('a');
  assert.equal(exportIo(graph, extra).connections.length, 1);
  const { connection: anew } = graph.connect(ref('w1.out'), ref('w2.in'));
  assert.deepEqual(exportIo(graph, extra), state(anew));
});

test('of 2000 values for an input the last one waits for the next frame, alone', () => {
  const { graph } = importIo(state(entry('a', 'w1.out', 'w2.in')), widgets('w1', 'w2'));
  const queue = createDeliveryQueue();
  for (let n = 0; n < 2000; n += 1) queue.add(graph.setOutput('w1', 'out', { n }));
  assert.deepEqual(queue.take(), [{ widgetId: 'w2', slotId: 'in', value: { n: 1999 } }]);
  assert.deepEqual(queue.take(), []);
});

test('a widget that is removed takes its waiting values with it, and no others', () => {
  const queue = createDeliveryQueue();
  queue.add(['w1', 'w2'].map((widgetId) => ({ widgetId, slotId: 'in', value: {} })));
  queue.forget('w1');
  assert.deepEqual(queue.take().map(({ widgetId }) => widgetId), ['w2']);
});
