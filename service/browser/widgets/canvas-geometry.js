// The geometry of a canvas: boxes, slots and curves, in canvas pixels. Pure functions.

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {Point & {slotId: string, direction: 'input' | 'output'}} SlotPoint
 */

export const HEADER = 40; // height of a widget's title bar; no slot is beside it
export const SLOT_STEP = 32; // distance between two slots; a target for the pointer needs at least 24 pixels
export const SLOTS_WIDTH = 104; // width of the slots beside a widget
const MARGIN = 20; // from the outermost slots to the title bar and the lower edge
const LEAST_REACH = 40; // how far a curve runs straight out of its slot, at least
const MOST_REACH = 200;
const SEGMENTS = 32; // straight segments that approximate a curve when a distance to it is measured

/**
 * The centers of a widget's slots: inputs on the left edge, outputs on the right edge, in their order.
 * @param {Box} widget @param {Slot[]} slots
 * @returns {SlotPoint[]}
 */
export function slotPoints(widget, slots) {
  return slots.map(({ id, direction }) => {
    const side = slots.filter((slot) => slot.direction === direction);
    const at = side.findIndex((slot) => slot.id === id);
    const x = direction === 'input' ? widget.x : widget.x + widget.width;
    return { slotId: id, direction, x, y: widget.y + HEADER + MARGIN + at * stepOf(widget, side.length) };
  });
}

/** @param {Box} widget @param {number} count of slots on one edge @returns {number} */
function stepOf({ height }, count) {
  const room = Math.max(0, height - HEADER - 2 * MARGIN);
  return count < 2 ? 0 : Math.min(SLOT_STEP, room / (count - 1));
}

/** @param {Slot[]} slots @returns {number} the smallest height at which the slots are not too close together */
export function leastHeight(slots) {
  const inputs = slots.filter(({ direction }) => direction === 'input').length;
  const rows = Math.max(inputs, slots.length - inputs, 1);
  return HEADER + 2 * MARGIN + (rows - 1) * SLOT_STEP;
}

/**
 * The four control points of a connection's cubic curve. The curve leaves an output to the right and arrives at an
 * input from the left, even if the input is to the left of the output.
 * @param {Point} from @param {Point} to
 * @returns {[Point, Point, Point, Point]}
 */
function controls(from, to) {
  const distance = to.x >= from.x ? (to.x - from.x) / 2 : from.x - to.x;
  const reach = Math.min(MOST_REACH, Math.max(LEAST_REACH, distance));
  return [from, { x: from.x + reach, y: from.y }, { x: to.x - reach, y: to.y }, to];
}

/** @param {Point} from an output @param {Point} to an input @returns {string} `d` of an SVG path */
export function curvePath(from, to) {
  const [start, ...rest] = controls(from, to).map(({ x, y }) => `${tenths(x)} ${tenths(y)}`);
  return `M ${start} C ${rest.join(', ')}`;
}

/** @param {number} value @returns {number} */
function tenths(value) {
  return Math.round(value * 10) / 10;
}

/** @param {Point} from @param {Point} to @param {number} t from 0 to 1 @returns {Point} of the curve */
export function curvePoint(from, to, t) {
  const [a, b, c, d] = controls(from, to);
  const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3];
  const along = (/** @type {'x' | 'y'} */ axis) =>
    [a, b, c, d].reduce((sum, point, at) => sum + weights[at] * point[axis], 0);
  return { x: along('x'), y: along('y') };
}

/** @param {Point} point @param {Point} from @param {Point} to @returns {number} the distance from a point to the curve */
export function curveDistance(point, from, to) {
  let [nearest, last] = [Infinity, from];
  for (let at = 1; at <= SEGMENTS; at += 1) {
    const next = curvePoint(from, to, at / SEGMENTS);
    nearest = Math.min(nearest, segmentDistance(point, last, next));
    last = next;
  }
  return nearest;
}

/** @param {Point} point @param {Point} a @param {Point} b */
function segmentDistance(point, a, b) {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const length = x * x + y * y;
  const share = length ? ((point.x - a.x) * x + (point.y - a.y) * y) / length : 0;
  const t = Math.min(1, Math.max(0, share));
  return Math.hypot(point.x - a.x - t * x, point.y - a.y - t * y);
}

/**
 * @template {Point} T
 * @param {T[]} points @param {Point} point @param {number} reach the largest distance that counts
 * @returns {T | null} the nearest one
 */
export function nearestPoint(points, point, reach) {
  const distances = points.map(({ x, y }) => Math.hypot(x - point.x, y - point.y));
  const least = Math.min(...distances);
  return least <= reach ? points[distances.indexOf(least)] : null;
}

/**
 * @template {{from: Point, to: Point}} T
 * @param {T[]} curves @param {Point} point @param {number} reach
 * @returns {T | null} the nearest one
 */
export function nearestCurve(curves, point, reach) {
  const distances = curves.map(({ from, to }) => curveDistance(point, from, to));
  const least = Math.min(...distances);
  return least <= reach ? curves[distances.indexOf(least)] : null;
}

/**
 * @template {Box} T
 * @param {T[]} boxes from bottom to top @param {Point} point
 * @returns {T | null} the topmost box at the point
 */
export function boxAt(boxes, point) {
  return boxes.findLast((box) => contains(box, point)) ?? null;
}

/** @param {Box} box @param {Point} point */
function contains({ x, y, width, height }, point) {
  return point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height;
}

/** @param {Point} one @param {Point} other @returns {Box} the box with these corners */
export function boxBetween(one, other) {
  const [x, y] = [Math.min(one.x, other.x), Math.min(one.y, other.y)];
  return { x, y, width: Math.abs(one.x - other.x), height: Math.abs(one.y - other.y) };
}

/** @param {Box[]} boxes @returns {Box | null} the smallest box around all of them */
export function boxAround(boxes) {
  if (!boxes.length) return null;
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** @template {Box} T @param {T[]} boxes @param {Box} area @returns {T[]} the boxes that an area touches */
export function boxesIn(boxes, area) {
  return boxes.filter(({ x, y, width, height }) => {
    const across = x <= area.x + area.width && area.x <= x + width;
    return across && y <= area.y + area.height && area.y <= y + height;
  });
}
