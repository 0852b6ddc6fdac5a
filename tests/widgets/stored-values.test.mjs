// The values that a canvas keeps, and gives again when it is opened.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHostIo } from '../../service/browser/widgets/host-io.js';
import { createWiring } from '../../service/browser/widgets/host-wiring.js';
import { LIMITS } from '../../service/browser/widgets/messages.js';

const slot = (id, direction, persist) => ({ id, direction, type: 'any', title: id, persist });
const SOURCE = { id: 'a', templateHandle: 'x', slots: [slot('kept', 'output', true), slot('more', 'output', true), slot('brief', 'output', false)] };
const TARGET = { id: 'b', templateHandle: 'y', slots: [{ ...slot('in', 'input', false), maxConnections: 3 }] };
const from = (slotId) => ({ widgetId: 'a', slotId });
const IN = { widgetId: 'b', slotId: 'in' };

/** An open canvas with both widgets; `stored` counts what it has asked to store. */
function opened(state, source = SOURCE) {
  const stored = [];
  const wiring = createWiring({ onChange: () => stored.push(wiring.exportState()) });
  wiring.add(source);
  wiring.add(TARGET);
  const { deliveries } = wiring.importState(state);
  const say = (slotId, value) => {
    wiring.current().setOutput('a', slotId, value);
    wiring.keep('a');
  };
  return { wiring, stored, deliveries, say, values: () => wiring.exportState().widgets.a.values };
}

const WIRED = { version: 1, connections: [{ id: 'c', from: from('kept'), to: IN }], widgets: {} };

test('the last value is stored, once, and given again to who opens the canvas', () => {
  const { wiring, stored, say, values } = opened(WIRED);
  for (const value of [{ n: 1 }, { n: 2 }, { n: 2 }]) say('kept', value);
  assert.equal(stored.length, 2);
  assert.deepEqual(values(), { kept: { n: 2 } });
  const again = opened(JSON.parse(JSON.stringify(wiring.exportState())));
  assert.deepEqual(again.deliveries, [{ ...IN, value: { n: 2 } }]);
  assert.deepEqual(again.stored, []);
  again.say('kept', { n: 3 });
  assert.deepEqual(again.values(), { kept: { n: 3 } });
});

test('a slot that does not ask for it leaves nothing, neither in the canvas nor from it', () => {
  const { stored, say, values } = opened(WIRED);
  say('brief', { secret: 1 });
  assert.deepEqual([stored, values()], [[], undefined]);
  const planted = { ...WIRED, connections: [{ id: 'c', from: from('brief'), to: IN }], widgets: { a: { values: { brief: { secret: 1 } } } } };
  const other = opened(planted);
  assert.deepEqual([other.deliveries, other.values()], [[], undefined]);
});

test('what does not fit in beside the other values is not stored', () => {
  const { say, values } = opened(WIRED);
  say('kept', { n: 1 });
  say('more', { text: 'x'.repeat(LIMITS.keptBytes - 10) });
  assert.deepEqual(values(), { kept: { n: 1 } });
  say('more', { text: 'small' });
  assert.deepEqual(values(), { kept: { n: 1 }, more: { text: 'small' } });
});

test('stored values that fit no more are no fault', () => {
  const source = { ...SOURCE, slots: [{ ...slot('kept', 'output', true), type: 'string' }] };
  for (const values of [{ kept: { value: 5 } }, { kept: 'text' }, { gone: { value: 'x' } }, 'text', null]) {
    assert.deepEqual(opened({ ...WIRED, widgets: { a: { values } } }, source).deliveries, []);
  }
});

test('a widget that comes after its canvas was read gets what is stored for it', () => {
  const wiring = createWiring({ onChange() {} });
  wiring.importState({ ...WIRED, widgets: { a: { values: { kept: { n: 1 } } } } });
  wiring.add(TARGET);
  assert.deepEqual(wiring.add(SOURCE), [{ ...IN, value: { n: 1 } }]);
});

test('the host stores a value when it sends it on', async (t) => {
  t.after(() => ['requestAnimationFrame', 'cancelAnimationFrame'].forEach((name) => delete globalThis[name]));
  Object.assign(globalThis, { requestAnimationFrame: queueMicrotask, cancelAnimationFrame() {} });
  const { wiring, stored, values } = opened(WIRED);
  const delivered = [];
  const deliver = (delivery) => (delivered.push(delivery.value), true);
  const io = createHostIo({ graph: wiring.current, deliver, onDrop: assert.fail, onOutput: wiring.keep });
  io.set('a', 'kept', { n: 1 });
  await Promise.resolve();
  assert.deepEqual([delivered, stored.length, values()], [[{ n: 1 }], 1, { kept: { n: 1 } }]);
});
