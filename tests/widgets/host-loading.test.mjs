// How many frames load at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createLoading } from '../../service/browser/widgets/host-loading.js';

/** Two at once; `enter` returns what ends a load, `lapse` is what the clock does. */
function createCase() {
  const started = [];
  const timers = new Set();
  const schedule = (act) => (timers.add(act), () => timers.delete(act));
  const loading = createLoading({ atOnce: 2, schedule });
  const enter = (name) => loading.enter(() => started.push(name));
  const lapse = () => [...timers].forEach((act) => act());
  return { started, timers, enter, lapse };
}

test('frames beyond the limit wait until others have loaded, in their order', () => {
  const { started, enter } = createCase();
  const [first, second] = ['a', 'b', 'c', 'd', 'e'].map(enter);
  assert.deepEqual(started, ['a', 'b']);
  first();
  assert.deepEqual(started, ['a', 'b', 'c']);
  second();
  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
});

test('a load that ends twice makes room once', () => {
  const { started, enter } = createCase();
  const [first] = ['a', 'b', 'c', 'd'].map(enter);
  first();
  first();
  assert.deepEqual(started, ['a', 'b', 'c']);
});

test('a frame that is removed before its turn never loads and takes no place', () => {
  const { started, enter } = createCase();
  const [first, , third] = ['a', 'b', 'c', 'd'].map(enter);
  third();
  first();
  assert.deepEqual(started, ['a', 'b', 'd']);
});

test('a frame that never loads keeps the others waiting for a limited time', () => {
  const { started, timers, enter, lapse } = createCase();
  ['a', 'b', 'c', 'd'].forEach(enter);
  lapse();
  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
  assert.equal(timers.size, 2);
});
