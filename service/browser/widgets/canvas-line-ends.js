// @ts-check
// Computes the end points of the lines of a canvas. Pure functions.

import { slotPoints } from './canvas-geometry.js';
import { touches } from './canvas-state.js';

/**
 * @typedef {import('./canvas-geometry.js').Point} Point
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 *
 * @typedef {object} Look how the canvas is shown
 * @property {(widget: CanvasWidget) => import('./canvas-geometry.js').Box} place where a widget is shown, which differs from its stored place while it is dragged
 * @property {(widget: CanvasWidget) => import('./slot-types.js').Slot[]} slotsOf
 * @property {(widget: CanvasWidget, slotId: string) => number} reachOf how far a slot sticks out of its widget
 */

/**
 * @param {Canvas | null} state @param {Look} look
 * @returns {(ref?: SlotRef) => Point | undefined} returns the outer end of a slot. Many lines can end at one widget, so
 *   the positions of its slots are computed only once.
 */
export function createPoints(state, { place, slotsOf, reachOf }) {
  const widgets = new Map(state?.widgets.map((widget) => [widget.id, widget]));
  /** @type {Map<string, import('./canvas-geometry.js').SlotPoint[]>} */
  const known = new Map();
  return (ref) => {
    const widget = ref && widgets.get(ref.widgetId);
    if (!widget) return undefined;
    const points = known.get(widget.id) ?? slotPoints(place(widget), slotsOf(widget));
    known.set(widget.id, points);
    const point = points.find(({ slotId }) => slotId === ref.slotId);
    const outwards = point?.direction === 'input' ? -1 : 1;
    return point && { x: point.x + outwards * reachOf(widget, ref.slotId), y: point.y };
  };
}

/**
 * @param {Canvas | null} state @param {Look} look
 * @param {Map<string, string>} broken why a connection does not work, by its id
 * @param {string[]} [moved] ids of widgets: only their lines are returned; all lines if absent
 * @returns {import('./canvas-lines.js').Line[]} the lines of the connections whose slots are shown
 */
export function linesOf(state, look, broken, moved) {
  const pointOf = createPoints(state, look);
  const all = state?.io.connections ?? [];
  const shown = moved ? all.filter((one) => moved.some((id) => touches(one, id))) : all;
  return shown.flatMap((connection) => {
    const [from, to] = [pointOf(connection?.from), pointOf(connection?.to)];
    if (!from || !to) return [];
    const reason = broken.get(connection.id);
    const kind = reason ? 'broken' : connection.enabled === false ? 'off' : 'live';
    return [{ id: connection.id, from, to, state: kind, reason }];
  });
}
