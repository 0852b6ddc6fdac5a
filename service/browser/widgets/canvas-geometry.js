// The geometry of a canvas: boxes, slots and curves, in canvas pixels. Pure functions.

/**
 * @typedef {{x: number, y: number}} Point
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {Point & {slotId: string, direction: 'input' | 'output'}} SlotPoint
 */

export const HEADER = 40; // height of a widget's title bar; no slot is beside it
export const SLOT_STEP = 32; // distance between two slots; a target for the pointer needs at least 24 pixels
export const SLOTS_WIDTH = 116; // width of the slots beside a widget
const MARGIN = 20; // from the outermost slots to the title bar and the lower edge
const LEAST_REACH = 40; // how far a curve runs straight out of its slot, at least
const MOST_REACH = 200;

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
