// Snaps a dragged box to the edges and centers of boxes nearby, or else to the grid. Pure functions.

/**
 * @typedef {import('./canvas-geometry.js').Box} Box
 * @typedef {{axis: 'x' | 'y', at: number}} Guide a line across the whole canvas
 * @typedef {'width' | 'height'} Side
 */

export const GRID = 8;

/** @param {number} value @param {number} [grid] @returns {number} the nearest multiple */
export function snapToGrid(value, grid = GRID) {
  return Math.round(value / grid) * grid || 0; // no -0
}

/**
 * @param {Box} box at the position to which it was dragged @param {Box[]} others
 * @param {number} reach the largest distance over which it snaps, in canvas pixels
 * @returns {{x: number, y: number, guides: Guide[]}} `guides` has one guide for each axis on which the box snapped to another box
 */
export function snapMove(box, others, reach) {
  const across = snapAxis('x', 'width', box, others, reach);
  const down = snapAxis('y', 'height', box, others, reach);
  return { x: across.value, y: down.value, guides: [...across.guides, ...down.guides] };
}

/**
 * @param {'x' | 'y'} axis @param {Side} side @param {Box} box @param {Box[]} others @param {number} reach
 * @returns {{value: number, guides: Guide[]}}
 */
function snapAxis(axis, side, box, others, reach) {
  const targets = others.flatMap((other) => linesOf(axis, side, other));
  let best = { distance: Infinity, offset: 0, at: 0 };
  for (const line of linesOf(axis, side, box)) {
    for (const at of targets) {
      const distance = Math.abs(at - line);
      if (distance < best.distance) best = { distance, offset: at - line, at };
    }
  }
  if (best.distance > reach) return { value: snapToGrid(box[axis]), guides: [] };
  return { value: box[axis] + best.offset, guides: [{ axis, at: best.at }] };
}

/** @param {'x' | 'y'} axis @param {Side} side @param {Box} box @returns {number[]} the edges and the center */
function linesOf(axis, side, box) {
  return [box[axis], box[axis] + box[side], box[axis] + box[side] / 2];
}

/**
 * @param {Box} box before resizing @param {string} edges the edges that are dragged: any of `n`, `e`, `s`, `w`
 * @param {number} dx canvas pixels @param {number} dy
 * @param {{width: number, height: number}} least size
 * @returns {Box} on the grid; the edges that are not dragged stay where they are
 */
export function resizeBox(box, edges, dx, dy, least) {
  const [left, right] = stretch(box.x, box.x + box.width, edges.includes('w'), edges.includes('e'), dx, least.width);
  const [top, bottom] = stretch(box.y, box.y + box.height, edges.includes('n'), edges.includes('s'), dy, least.height);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * @param {number} start @param {number} end @param {boolean} first whether the start is dragged
 * @param {boolean} last whether the end is dragged @param {number} by @param {number} least
 * @returns {[number, number]}
 */
function stretch(start, end, first, last, by, least) {
  if (first) return [Math.min(snapToGrid(start + by), end - least), end];
  if (last) return [start, Math.max(snapToGrid(end + by), start + least)];
  return [start, end];
}
