// Two tabs change one canvas: nothing is lost, and both end with the same.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { merge } from '../../service/browser/widgets/canvas-merge.js';
import { apply, canvasOf } from '../../service/browser/widgets/canvas-state.js';
import { connectionOf, forSeeds, randomCanvas, randomOperation, widgetAt } from './generator.mjs';

const base = canvasOf({
  title: 'T', widgets: [widgetAt('a', 0, 0, { settings: { unit: 'C', place: 'Rome' } }), widgetAt('b')],
  io: { connections: [connectionOf('a.out', 'b.in')], widgets: { a: { slotsVersion: 1 } } },
});
const after = (...operations) => operations.reduce(apply, base);
const move = (id, x, y) => ({ type: 'move', id, x, y });
const sorted = (state) => ({ ...state, widgets: byId(state.widgets), io: { ...state.io, connections: byId(state.io.connections) } });
const byId = (items) => [...items].sort((a, b) => (a.id < b.id ? -1 : 1));

test('two tabs that write one after another converge, whatever they do', () => {
  forSeeds(150, (random) => {
    const server = { state: randomCanvas(random), version: 0 };
    const tabs = ['x', 'y', 'z'].map((prefix) => ({ prefix, mine: server.state, base: server.state, version: 0 }));
    for (let step = 0; step < 40; step += 1) {
      const tab = random.pick(tabs);
      if (random.maybe(0.7)) tab.mine = apply(tab.mine, randomOperation(random, tab.mine, tab.prefix));
      else synchronize(tab, server);
    }
    for (const tab of [...tabs, ...tabs]) synchronize(tab, server);
    for (const { mine } of tabs) assert.deepEqual(mine, server.state);
  });
});

/** What a tab does to write: it merges when another has written since, then stores the result. */
function synchronize(tab, server) {
  const merged = tab.version === server.version ? tab.mine : merge(tab.mine, server.state, tab.base);
  if (JSON.stringify(merged) !== JSON.stringify(server.state)) Object.assign(server, { state: merged, version: server.version + 1 });
  Object.assign(tab, { mine: server.state, base: server.state, version: server.version });
}

test('a side that changed nothing takes what the other has', () => {
  forSeeds(150, (random) => {
    const state = randomCanvas(random);
    const other = [1, 2, 3].reduce((now) => apply(now, randomOperation(random, now)), state);
    assert.deepEqual(merge(state, other, state), other);
    assert.deepEqual(sorted(merge(other, state, state)), sorted(other));
    assert.deepEqual(merge(other, other, state), other);
  });
});

test('changes of different things are all kept, and who merges does not matter', () => {
  const mine = after(move('a', 9, 9), { type: 'add-widget', widget: widgetAt('c') });
  const theirs = after(move('b', 5, 5), { type: 'set-title', title: 'New' }, { type: 'add-widget', widget: widgetAt('d') });
  const merged = merge(mine, theirs, base);
  assert.deepEqual(merged.widgets.map(({ id, x }) => [id, x]), [['a', 9], ['b', 5], ['d', 0], ['c', 0]]);
  assert.equal(merged.title, 'New');
  assert.deepEqual(sorted(merge(theirs, mine, base)), sorted(merged));
});

test('one widget can be moved in one tab and resized in another', () => {
  const merged = merge(after(move('a', 9, 9)), after({ type: 'resize', id: 'a', width: 1, height: 2 }), base);
  assert.deepEqual([merged.widgets[0].x, merged.widgets[0].width], [9, 1]);
});

test('of two moves of one widget the later written one counts as a whole', () => {
  const merged = merge(after(move('a', 9, 0)), after(move('a', 5, 5)), base);
  assert.deepEqual([merged.widgets[0].x, merged.widgets[0].y], [9, 0]);
});

test('settings are merged by their names', () => {
  const set = (settings) => after({ type: 'set-settings', id: 'a', settings });
  const merged = merge(set({ unit: 'F', place: 'Rome' }), set({ unit: 'C', place: 'Oslo', wind: 1 }), base);
  assert.deepEqual(merged.widgets[0].settings, { unit: 'F', place: 'Oslo', wind: 1 });
});

test('a removed widget stays removed, also when another tab moves or connects it', () => {
  const removal = after({ type: 'remove-widget', id: 'a' });
  const use = after(move('a', 9, 9), { type: 'connect', connection: connectionOf('b.out', 'a.in') });
  for (const merged of [merge(removal, use, base), merge(use, removal, base)]) {
    assert.deepEqual([merged.widgets.map(({ id }) => id), merged.io.connections], [['b'], []]);
    assert.deepEqual(merged.io.widgets, {});
  }
});

test('a connection that two tabs draw at once is there once', () => {
  const drawn = (createdAt) => after({ type: 'connect', connection: connectionOf('b.out', 'a.in', { createdAt }) });
  assert.deepEqual(merge(drawn('1'), drawn('2'), base).io.connections.map(({ createdAt }) => createdAt.length), [20, 1]);
});

test('what nobody has touched stays, however odd it is', () => {
  const odd = { ...base, io: { ...base.io, connections: [null, 7, 7, connectionOf('x.out', 'y.in'), ...base.io.connections], key: [1] } };
  const mine = apply(odd, move('a', 1, 1));
  const theirs = apply(odd, { type: 'remove-widget', id: 'b' });
  assert.deepEqual(merge(mine, theirs, odd).io, { ...odd.io, connections: odd.io.connections.slice(0, 4) });
});

test('a connection that an older client left behind is kept, to be shown as broken', () => {
  const theirs = { ...base, widgets: base.widgets.slice(0, 1) };
  assert.equal(merge(after(move('a', 1, 1)), theirs, base).io.connections.length, 1);
});
