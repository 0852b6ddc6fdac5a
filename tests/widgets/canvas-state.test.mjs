// Operations on a canvas, what undoes them, and the arrangement in columns.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { inverse } from '../../service/browser/widgets/canvas-inverse.js';
import { arrange } from '../../service/browser/widgets/canvas-layout.js';
import { apply, canvasOf, shapeId } from '../../service/browser/widgets/canvas-state.js';
import { connectionOf, forSeeds, randomCanvas, randomOperation, widgetAt } from './generator.mjs';

const canvas = (widgets, connections = []) => canvasOf({ title: 'T', widgets, io: { connections } });
const pair = () => canvas([widgetAt('a'), widgetAt('b')], [connectionOf('a.out', 'b.in')]);

test('the inverse of an operation takes back all of it, and nothing else', () => {
  forSeeds(600, (random) => {
    const state = randomCanvas(random);
    const operation = randomOperation(random, state);
    const next = apply(state, operation);
    const back = inverse(state, operation);
    if (back) assert.deepEqual(withoutUndefined(apply(next, back)), state);
    else assert.deepEqual(next, state);
  });
});

test('a connection that was broken before its widget was removed comes back with it', () => {
  const half = { id: 'half', from: { widgetId: 'a', slotId: 'out' } };
  const state = canvas([widgetAt('a')], [connectionOf('a.out', 'gone.in'), half]);
  const operation = { type: 'remove-widget', id: 'a' };
  const next = apply(state, operation);
  assert.deepEqual(next.io.connections, []);
  assert.deepEqual(withoutUndefined(apply(next, inverse(state, operation))), state);
});

const withoutUndefined = (value) => JSON.parse(JSON.stringify(value));

test('the inverse of an inverse does the operation again', () => {
  forSeeds(300, (random) => {
    const state = randomCanvas(random);
    const operation = randomOperation(random, state);
    const back = inverse(state, operation);
    if (!back) return;
    const next = apply(state, operation);
    assert.deepEqual(apply(apply(next, back), inverse(next, back)), next);
  });
});

test('each operation of a batch is undone from the state that it met', () => {
  const operations = [{ type: 'remove-widget', id: 'a' }, { type: 'add-widget', widget: widgetAt('a', 9) }];
  const back = inverse(pair(), { type: 'batch', operations });
  assert.deepEqual(withoutUndefined(apply(operations.reduce(apply, pair()), back)), pair());
});

test('an operation changes no state that it was given', () => {
  forSeeds(200, (random) => {
    const state = randomCanvas(random);
    const before = structuredClone(state);
    apply(state, randomOperation(random, state));
    assert.deepEqual(state, before);
  });
});

test('an operation without effect gives the very same state and has no inverse', () => {
  const state = pair();
  const idle = [
    { type: 'move', id: 'gone', x: 1, y: 1 }, { type: 'move', id: 'a', x: 0, y: 0 }, { type: 'remove-widget', id: 'gone' },
    { type: 'add-widget', widget: widgetAt('a', 9) }, { type: 'disconnect', id: 'gone' }, { type: 'set-title', title: 'T' },
    { type: 'connect', connection: connectionOf('a.out', 'b.in') }, { type: 'connect', connection: connectionOf('a.out', 'gone.in') },
  ];
  for (const operation of [...idle, { type: 'batch', operations: idle }]) {
    assert.equal(apply(state, operation), state);
    assert.equal(inverse(state, operation), null);
  }
});

test('a widget goes with its connections and comes back with them, in their places', () => {
  const state = canvas(['a', 'b', 'c'].map((id) => widgetAt(id)), ['a.out b.in', 'a.out c.in', 'b.out c.in'].map((ends) => connectionOf(...ends.split(' '))));
  const without = apply(state, { type: 'remove-widget', id: 'b' });
  assert.deepEqual(without.io.connections.map(({ id }) => id), ['a.out>c.in']);
  assert.deepEqual(apply(without, inverse(state, { type: 'remove-widget', id: 'b' })), state);
});

test('a removal that is undone brings no connection to a widget that has gone since', () => {
  const back = inverse(pair(), { type: 'remove-widget', id: 'a' });
  const empty = ['a', 'b'].reduce((state, id) => apply(state, { type: 'remove-widget', id }), pair());
  assert.deepEqual(apply(empty, back).io.connections, []);
});

test('an unknown operation is an error that names it', () => {
  assert.throws(() => apply(pair(), { type: 'explode' }), /explode/);
});

test('whatever a record holds becomes a canvas, and unknown keys stay', () => {
  for (const data of [null, {}, { widgets: 'x', io: [] }, { io: { connections: 1 } }]) {
    assert.deepEqual([canvasOf(data).widgets, canvasOf(data).io.connections], [[], []]);
  }
  assert.equal(canvasOf({ theme: 'dark', io: { version: 4 } }).io.version, 4);
  assert.equal(canvasOf({ theme: 'dark' }).theme, 'dark');
  assert.equal(canvasOf({ name: 'Old', title: null }).title, 'Old');
  assert.equal(shapeId(widgetAt('a')), 'shape:a');
});

test('one of two connections that are stored without ids is removed alone', () => {
  const end = (widgetId) => ({ widgetId, slotId: 's' });
  const connections = [{ from: end('a'), to: end('b') }, { from: end('a'), to: end('c') }, 'odd'];
  const state = canvasOf({ io: { connections } });
  const next = apply(state, { type: 'disconnect', id: state.io.connections[0].id });
  assert.deepEqual(next.io.connections, state.io.connections.slice(1));
  assert.notEqual(state.io.connections[0].id, undefined);
});

test('arranged widgets never overlap, and keep the upper left corner', () => {
  forSeeds(200, (random) => {
    const state = randomCanvas(random);
    const { widgets } = apply(state, arrange(state));
    for (const [at, one] of widgets.entries()) for (const other of widgets.slice(0, at)) assert.ok(apart(one, other));
    if (!widgets.length) return;
    for (const side of ['x', 'y']) assert.equal(least(widgets, side), least(state.widgets, side));
  });
});

const least = (widgets, side) => Math.min(...widgets.map((widget) => widget[side]));
const apart = (a, b) => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

test('without circles each connection runs from left to right', () => {
  forSeeds(200, (random) => {
    const state = randomCanvas(random);
    const forward = state.io.connections.filter(({ from, to }) => from.widgetId < to.widgetId);
    const { widgets } = apply(state, arrange(canvas(state.widgets, forward)));
    const left = new Map(widgets.map((widget) => [widget.id, widget]));
    for (const { from, to } of forward) assert.ok(left.get(from.widgetId).x + left.get(from.widgetId).width < left.get(to.widgetId).x);
  });
});

test('arranging twice moves nothing the second time', () => {
  forSeeds(100, (random) => {
    const state = randomCanvas(random);
    const once = apply(state, arrange(state));
    const twice = apply(once, arrange(once));
    assert.deepEqual(apply(twice, arrange(twice)).widgets, twice.widgets);
  });
});

test('a chain stands in one row, its neighbours beside each other', () => {
  const state = canvas([widgetAt('c'), widgetAt('b', 50, 900), widgetAt('a', 7, 3)], [connectionOf('a.out', 'b.in'), connectionOf('b.out', 'c.in')]);
  const [c, b, a] = apply(state, arrange(state)).widgets;
  assert.deepEqual([a, b, c].map(({ x, y }) => [x, y]), [[0, 0], [560, 0], [1120, 0]]);
});

test('crossed connections are untangled', () => {
  const state = canvas(['a', 'b', 'c', 'd'].map((id, at) => widgetAt(id, 0, at * 300)), [connectionOf('a.out', 'd.in'), connectionOf('b.out', 'c.in')]);
  const place = new Map(apply(state, arrange(state)).widgets.map(({ id, y }) => [id, y]));
  assert.equal(place.get('a') < place.get('b'), place.get('d') < place.get('c'));
});
