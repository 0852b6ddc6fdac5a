// Arranges the widgets of a canvas in columns, so that values flow from left to right.

import { layersOf } from './canvas-layers.js';

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./canvas-state.js').Operation} Operation
 * @typedef {Map<string, {x: number, y: number}>} Positions by widget id
 */

const COLUMN_GAP = 240; // room for the slots beside two widgets and the curves between them
const ROW_GAP = 40;
const LEAST_WIDTH = 1200; // width of the rows of widgets without a connection, at least

/**
 * Arranges all widgets with one operation. The upper left corner of all widgets together stays where it is. Widgets
 * without a connection are put into rows below.
 * @param {Canvas} state
 * @returns {Operation} a batch of moves, empty if all widgets are in their places already
 */
export function arrange(state) {
  const { layers, arrows } = layersOf(state);
  const placed = placeLayers(layers, arrows);
  const width = Math.max(LEAST_WIDTH, rightOf(state.widgets, placed));
  const loose = state.widgets.filter(({ id }) => !placed.has(id));
  placeRows(loose, placed, width, bottomOf(state.widgets, placed));
  return movesTo(state.widgets, placed);
}

/**
 * @param {CanvasWidget[][]} layers from left to right, each from top to bottom
 * @param {[string, string][]} arrows
 * @returns {Positions}
 */
function placeLayers(layers, arrows) {
  /** @type {Positions} */
  const placed = new Map();
  const centres = new Map();
  let x = 0;
  for (const layer of layers) {
    for (const [id, y] of rowsOf(layer, arrows, centres)) placed.set(id, { x, y });
    for (const { id, height } of layer) centres.set(id, (placed.get(id)?.y ?? 0) + height / 2);
    x += Math.max(...layer.map(({ width }) => width)) + COLUMN_GAP;
  }
  return placed;
}

/**
 * Puts each widget of a column as close as possible to the middle of its sources.
 * @param {CanvasWidget[]} layer @param {[string, string][]} arrows
 * @param {Map<string, number>} centres of the widgets to the left
 * @returns {Map<string, number>} upper edges by id
 */
function rowsOf(layer, arrows, centres) {
  const rows = new Map();
  const offsets = [];
  let free = -Infinity;
  for (const { id, height } of layer) {
    const sources = arrows.flatMap(([from, to]) => (to === id ? (centres.get(from) ?? []) : []));
    const wish = sources.length ? mean(sources) - height / 2 : Math.max(free, 0);
    rows.set(id, Math.max(wish, free));
    free = rows.get(id) + height + ROW_GAP;
    if (sources.length) offsets.push(wish - rows.get(id));
  }
  const shift = offsets.length ? mean(offsets) : 0; // widgets are only pushed down; the shift is spread in both directions
  return new Map([...rows].map(([id, y]) => [id, y + shift]));
}

/**
 * @param {CanvasWidget[]} widgets @param {Positions} placed the positions of these widgets are added to it
 * @param {number} width @param {number} top
 */
function placeRows(widgets, placed, width, top) {
  let [x, y, bottom] = [0, top, top];
  for (const widget of widgets) {
    if (x > 0 && x + widget.width > width) [x, y] = [0, bottom];
    placed.set(widget.id, { x, y });
    x += widget.width + COLUMN_GAP;
    bottom = Math.max(bottom, y + widget.height + ROW_GAP);
  }
}

/** @param {CanvasWidget[]} widgets @param {Positions} placed @returns {Operation} */
function movesTo(widgets, placed) {
  const corner = (/** @type {{x: number, y: number}[]} */ all) => [
    Math.min(...all.map(({ x }) => x)),
    Math.min(...all.map(({ y }) => y)),
  ];
  const [left, top] = corner(widgets);
  const [newLeft, newTop] = corner([...placed.values()]);
  const operations = widgets.flatMap(({ id, x, y }) => {
    const place = /** @type {{x: number, y: number}} */ (placed.get(id));
    const [toX, toY] = [Math.round(left + place.x - newLeft), Math.round(top + place.y - newTop)];
    return toX === x && toY === y ? [] : [{ type: /** @type {const} */ ('move'), id, x: toX, y: toY }];
  });
  return { type: 'batch', operations };
}

/** @param {CanvasWidget[]} widgets @param {Positions} placed @returns {number} */
function rightOf(widgets, placed) {
  return Math.max(0, ...widgets.map(({ id, width }) => (placed.get(id)?.x ?? -Infinity) + width));
}

/** @param {CanvasWidget[]} widgets @param {Positions} placed @returns {number} the top of the rows below */
function bottomOf(widgets, placed) {
  const bottoms = widgets.map(({ id, height }) => (placed.get(id)?.y ?? -Infinity) + height + 3 * ROW_GAP);
  return placed.size ? Math.max(...bottoms) : 0;
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
