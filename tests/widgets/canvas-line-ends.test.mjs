// Where the lines of a canvas run: all of them, or those of a widget that is dragged.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { linesOf } from '../../service/browser/widgets/canvas-line-ends.js';
import { canvasOf } from '../../service/browser/widgets/canvas-state.js';

const SLOTS = [
  { id: 'in', direction: 'input', type: 'any', title: 'In' },
  { id: 'out', direction: 'output', type: 'any', title: 'Out' },
];
const widget = (id, x) => ({ id, templateHandle: 'note', x, y: 0, width: 100, height: 100 });
const connection = (id, from, to, more) => ({ id, from: { widgetId: from, slotId: 'out' }, to: { widgetId: to, slotId: 'in' }, ...more });
const look = { place: (one) => one, slotsOf: () => SLOTS, reachOf: (_, slotId) => (slotId === 'in' ? 30 : 20) };
const CANVAS = canvasOf({
  widgets: [widget('a', 0), widget('b', 200), widget('c', 400)],
  io: { connections: [connection('ab', 'a', 'b'), connection('bc', 'b', 'c', { enabled: false }), connection('lost', 'a', 'gone'), null] },
});

test('a line runs from the outer end of an output to the outer end of an input', () => {
  const [line] = linesOf(CANVAS, look, new Map());
  assert.deepEqual([line.from.x, line.to.x, line.from.y], [120, 170, line.to.y]);
});

test('what has no two ends on the canvas has no line, the others say how they are', () => {
  const lines = linesOf(CANVAS, look, new Map([['ab', 'Why not.']]));
  assert.deepEqual(lines.map(({ id, state, reason }) => [id, state, reason]), [['ab', 'broken', 'Why not.'], ['bc', 'off', undefined]]);
});

test('of a widget that is dragged only its own lines are drawn, to where it is shown', () => {
  const dragged = { ...look, place: (one) => (one.id === 'c' ? { ...one, x: 900 } : one) };
  const lines = linesOf(CANVAS, dragged, new Map(), ['c']);
  assert.deepEqual(lines.map(({ id, from, to }) => [id, from.x, to.x]), [['bc', 320, 870]]);
});

test('the slots of a widget are computed once, however many lines end there', () => {
  let asked = 0;
  const counting = { ...look, slotsOf: () => ((asked += 1), SLOTS) };
  const many = Array.from({ length: 50 }, (_, at) => connection(`c${at}`, 'a', 'b'));
  linesOf({ ...CANVAS, io: { ...CANVAS.io, connections: many } }, counting, new Map());
  assert.equal(asked, 2);
});
