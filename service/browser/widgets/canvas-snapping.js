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
 * Moves the lower right corner of a box to the grid.
 * @param {Box} box before resizing @param {number} dx canvas pixels @param {number} dy
 * @param {{width: number, height: number}} least size
 * @returns {{width: number, height: number}}
 */
export function resizeBox({ x, y, width, height }, dx, dy, least) {
  return {
    width: Math.max(snapToGrid(x + width + dx) - x, least.width),
    height: Math.max(snapToGrid(y + height + dy) - y, least.height),
  };
}
