// When the host sends a value on: the first of a slot at once, the latest of many with the next frame.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHostIo } from '../../service/browser/widgets/host-io.js';
import { IoGraph } from '../../service/browser/widgets/io-graph.js';

const slot = (id, direction) => ({ id, direction, type: 'any', title: id, maxConnections: 9 });

/** `a` and `b` lead to `c`. `draw` is what the browser does for a frame. */
function createCase(t) {
  const names = ['requestAnimationFrame', 'cancelAnimationFrame'];
  const frames = new Map();
  let number = 0;
  globalThis.requestAnimationFrame = (act) => (frames.set((number += 1), act), number);
  globalThis.cancelAnimationFrame = (id) => frames.delete(id);
  const graph = new IoGraph();
  for (const id of ['a', 'b', 'c']) graph.addWidget({ id, slots: [slot('in', 'input'), slot('out', 'output')] });
  for (const id of ['a', 'b']) graph.connect({ widgetId: id, slotId: 'out' }, { widgetId: 'c', slotId: 'in' });
  const got = [];
  const deliver = ({ value }) => (got.push(value.n), true);
  const dropped = [];
  const io = createHostIo({ graph: () => graph, deliver, onDrop: (...drop) => dropped.push(drop), onOutput() {} });
  t.after(() => {
    io.stop();
    names.forEach((name) => delete globalThis[name]);
  });
  const draw = () => [...frames.values()].forEach((act) => act());
  return { io, got, dropped, frames, draw, say: (id, ...values) => values.forEach((n) => io.set(id, 'out', { n })) };
}

test('the first value of a slot waits for no frame, and of the others the latest travels', (t) => {
  const { got, say, draw } = createCase(t);
  say('a', 1, 2, 3);
  assert.deepEqual(got, [1]);
  draw();
  assert.deepEqual(got, [1, 3]);
});

test('a slot that speaks in each frame has one value in each', (t) => {
  const { got, say, draw } = createCase(t);
  say('a', 1, 2);
  draw();
  say('a', 3, 4);
  assert.deepEqual(got, [1, 2]);
  draw();
  assert.deepEqual(got, [1, 2, 4]);
});

test('what comes first overtakes nothing that waits for the same input', (t) => {
  const { got, say, draw } = createCase(t);
  say('a', 1, 2);
  say('b', 3);
  assert.deepEqual(got, [1]);
  draw();
  assert.deepEqual(got, [1, 3]);
});

test('of two slots that wait, that which has spoken last has the last word', (t) => {
  const { got, say, draw } = createCase(t);
  say('a', 1, 2);
  say('b', 3);
  say('a', 4);
  draw();
  assert.deepEqual(got.at(-1), 4);
});

test('a slot that has been silent for a frame speaks at once again, and asks for no frame meanwhile', (t) => {
  const { frames, got, say, draw } = createCase(t);
  say('a', 1);
  draw();
  assert.equal(frames.size, 0);
  say('a', 2);
  assert.deepEqual(got, [1, 2]);
});

test('an equal value travels only if it is forced, and what is forced stays so until its frame', (t) => {
  const { io, got, say, draw } = createCase(t);
  say('a', 1);
  draw();
  say('a', 1);
  assert.deepEqual(got, [1]);
  io.set('a', 'out', { n: 1 }, true); // it waits: the slot has spoken in this frame
  say('a', 1);
  draw();
  assert.deepEqual(got, [1, 1]);
});

test('who comes back gets its last inputs once, and who is gone neither speaks nor hears', (t) => {
  const { io, got, say, draw } = createCase(t);
  say('a', 1);
  draw();
  io.replay('c');
  say('b', 2); // behind what waits for the same input
  draw();
  assert.deepEqual(got, [1, 2]);
  say('b', 3); // it waits: the slot has spoken in this frame
  io.forget('b');
  io.replay('c');
  io.forget('c');
  draw();
  assert.deepEqual(got, [1, 2]);
});

test('a value that is none is dropped with its reason, and the others travel', (t) => {
  const { io, got, dropped, say } = createCase(t);
  io.set('a', 'out', { f() {} });
  io.set('a', 'none', { n: 1 });
  say('b', 2);
  assert.deepEqual([dropped, got], [[['a', 'not_json', 'out'], ['a', 'unknown_slot', 'none']], [2]]);
});
