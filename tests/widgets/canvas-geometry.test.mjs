// Places on a canvas: slots, curves, what the pointer meets, pan and zoom, snapping.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as geometry from '../../service/browser/widgets/canvas-geometry.js';
import { GRID, resizeBox, snapMove, snapToGrid } from '../../service/browser/widgets/canvas-snapping.js';
import * as viewport from '../../service/browser/widgets/canvas-viewport.js';
import { forSeeds } from './generator.mjs';

const box = (x, y, width = 100, height = 100) => ({ x, y, width, height });
const slots = (inputs, outputs) => [...named('input', inputs), ...named('output', outputs)];
const named = (direction, count) => Array.from({ length: count }, (_, at) => ({ id: direction + at, direction, type: 'any', title: '' }));
const number = (random, most = 1000) => random.below(2 * most) - most;
const pointOf = (random) => ({ x: number(random), y: number(random) });
const near = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) < 1e-6;

test('inputs stand on the left edge and outputs on the right edge, below the title', () => {
  const points = geometry.slotPoints(box(10, 20, 300, 200), slots(2, 1));
  assert.deepEqual(points.map(({ x }) => x), [10, 10, 310]);
  assert.deepEqual(points.map(({ y }) => y - 20 - geometry.HEADER), [20, 20 + geometry.SLOT_STEP, 20]);
});

test('all slots stand between title and lower edge, at the least height with a full step', () => {
  for (let count = 1; count < 12; count += 1) {
    const height = geometry.leastHeight(slots(count, 2));
    for (const tall of [height, 90]) {
      const rows = geometry.slotPoints(box(0, 0, 300, tall), slots(count, 0)).map(({ y }) => y);
      assert.ok(rows[0] >= geometry.HEADER && rows.at(-1) <= Math.max(tall, 90));
      if (tall === height && count > 1) assert.equal(rows[1] - rows[0], geometry.SLOT_STEP);
    }
  }
});

test('a curve begins and ends at its slots and leaves them straight', () => {
  assert.equal(geometry.curvePath({ x: 0, y: 0 }, { x: 200, y: 50.04 }), 'M 0 0 C 100 0, 100 50, 200 50');
  assert.equal(geometry.curvePath({ x: 0, y: 0 }, { x: -100, y: 0 }), 'M 0 0 C 100 0, -200 0, -100 0');
});

test('a selection is drawn in any direction and holds what it touches', () => {
  const area = geometry.boxBetween({ x: 120, y: 90 }, { x: 20, y: -10 });
  assert.deepEqual(area, box(20, -10));
  assert.deepEqual(geometry.boxesIn([box(0, 0), box(121, 0), box(0, 91)], area), [box(0, 0)]);
  assert.deepEqual(geometry.boxAround([box(0, 0), box(-50, 200)]), box(-50, 0, 150, 300));
  assert.equal(geometry.boxAround([]), null);
});

test('a point of the canvas and its place on the screen lead to each other', () => {
  forSeeds(100, (random) => {
    const view = { ...pointOf(random), zoom: 0.1 + random.number() * 3 };
    const point = pointOf(random);
    assert.ok(near(viewport.toCanvas(view, viewport.toScreen(view, point)), point));
  });
});

test('zoom keeps the canvas under the pointer and stays within its limits', () => {
  forSeeds(100, (random) => {
    const view = { ...pointOf(random), zoom: 0.1 + random.number() * 3 };
    const pointer = pointOf(random);
    const next = viewport.zoomViewport(view, random.pick([0.01, 0.9, 1.1, 100]), pointer);
    assert.ok(near(viewport.toCanvas(next, pointer), viewport.toCanvas(view, pointer)));
    assert.ok(next.zoom >= viewport.LEAST_ZOOM && next.zoom <= viewport.MOST_ZOOM);
  });
});

test('two fingers keep hold of the canvas', () => {
  const view = { x: 5, y: 6, zoom: 1 };
  const [before, after] = [[{ x: 0, y: 0 }, { x: 100, y: 0 }], [{ x: 10, y: 20 }, { x: 210, y: 20 }]];
  const next = viewport.pinchViewport(view, before, after);
  assert.equal(next.zoom, 2);
  for (const at of [0, 1]) assert.ok(near(viewport.toCanvas(next, after[at]), viewport.toCanvas(view, before[at])));
});

test('a box is fitted into the middle, whole and never enlarged', () => {
  const size = { width: 800, height: 600 };
  for (const content of [box(10, 20), box(-500, 0, 3000, 200), box(0, 0, 10, 5000)]) {
    const view = viewport.fitViewport(content, size);
    const area = { ...viewport.toCanvas(view, { x: 0, y: 0 }), width: size.width / view.zoom, height: size.height / view.zoom };
    assert.ok(view.zoom <= 1 && area.x < content.x && area.x + area.width > content.x + content.width);
    assert.ok(Math.abs(area.y + area.height / 2 - content.y - content.height / 2) < 1e-6);
  }
  assert.deepEqual(viewport.fitViewport(null, size), { x: 0, y: 0, zoom: 1 });
});

test('a widget is revealed with its slots and the smallest pan', () => {
  const [view, size] = [{ x: 0, y: 0, zoom: 2 }, { width: 800, height: 300 }];
  const slots = geometry.SLOTS_WIDTH;
  assert.deepEqual(viewport.revealBox(view, box(150, 20), size), view);
  assert.deepEqual(viewport.revealBox(view, box(250, -10), size), { x: 800 - 2 * (350 + slots), y: 20, zoom: 2 });
  assert.equal(viewport.revealBox(view, box(0, 0), size).x, 2 * slots);
});

test('where there is no room for its slots, a widget is revealed with less of them', () => {
  const [view, size] = [{ x: 0, y: 0, zoom: 2 }, { width: 400, height: 300 }];
  assert.equal(viewport.revealBox(view, box(300, 0), size).x, -500, 'in the middle');
  assert.equal(viewport.revealBox(view, box(-5, 0, 900, 10), size).x, 10);
});

test('a dragged box snaps to edges and middles nearby, and else to the grid', () => {
  const others = [box(200, 500, 60, 60)];
  assert.deepEqual(snapMove(box(203, 0), others, 6), { x: 200, y: 0, guides: [{ axis: 'x', at: 200 }] });
  assert.deepEqual(snapMove(box(178, 0), others, 6).x, 180); // middle to middle: 230
  assert.deepEqual(snapMove(box(97, 405), others, 6), { x: 100, y: 400, guides: [{ axis: 'x', at: 200 }, { axis: 'y', at: 500 }] });
  assert.deepEqual(snapMove(box(11, 13), others, 6), { x: 8, y: 16, guides: [] });
  assert.equal(snapToGrid(-1), 0);
});

test('the corner moves to the grid, and no further than the least size', () => {
  const least = { width: 48, height: 48 };
  assert.deepEqual(resizeBox(box(0, 0), 28, 12, least), { width: 128, height: 112 });
  assert.deepEqual(resizeBox(box(0, 0), -500, -15, least), { width: 48, height: 88 });
  assert.equal(resizeBox(box(3, 0), 5, 0, least).width, 109); // its right edge is on the grid
});
