// @ts-check
// Operations on several widgets at once. Pure functions.

import { boxAround } from './canvas-geometry.js';
import { snapMove } from './canvas-snapping.js';

/**
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./canvas-state.js').Operation} Operation
 * @typedef {import('./canvas-geometry.js').Box} Box
 */

/** @param {CanvasWidget[]} widgets @param {number} dx canvas pixels @param {number} dy @returns {CanvasWidget[]} */
export function shiftWidgets(widgets, dx, dy) {
  return widgets.map((widget) => ({ ...widget, x: widget.x + dx, y: widget.y + dy }));
}

/**
 * Moves a group with the pointer. The group snaps as one box, so that its widgets keep their distances.
 * @param {CanvasWidget[]} group at least one widget @param {Box[]} others boxes to which the group may snap
 * @param {number} dx canvas pixels @param {number} dy @param {number} reach the distance within which it snaps
 * @returns {{widgets: CanvasWidget[], guides: import('./canvas-snapping.js').Guide[]}}
 */
export function dragGroup(group, others, dx, dy, reach) {
  const box = /** @type {Box} */ (boxAround(group));
  const { x, y, guides } = snapMove({ ...box, x: box.x + dx, y: box.y + dy }, others, reach);
  return { widgets: shiftWidgets(group, x - box.x, y - box.y), guides };
}

/** @param {CanvasWidget[]} widgets at their new places @returns {Operation} one undo step */
export function moveTo(widgets) {
  return asBatch(widgets.map(({ id, x, y }) => ({ type: 'move', id, x, y })));
}

/** @param {string[]} ids @returns {Operation} one undo step */
export function removalOf(ids) {
  return asBatch(ids.map((id) => ({ type: 'remove-widget', id })));
}

/**
 * @param {Operation} operation @param {import('./canvas-state.js').Canvas} canvas before the operation
 * @param {{widget: (widget: CanvasWidget) => string, connection: (connection: any) => string}} naming
 * @returns {string} says what the operation removes; '' if it removes nothing
 */
export function removalWords(operation, canvas, naming) {
  if (operation.type === 'disconnect') {
    const connection = canvas.io.connections.find((one) => one?.id === operation.id);
    return connection ? `Disconnected ${naming.connection(connection)}.` : '';
  }
  const all = operation.type === 'batch' ? operation.operations : [operation];
  const removed = all.flatMap((one) => (one.type === 'remove-widget' ? canvas.widgets.filter(({ id }) => id === one.id) : []));
  if (removed.length > 1) return `Removed ${removed.length} widgets.`;
  return removed.map((widget) => `Removed ${naming.widget(widget)}.`).join('');
}

/** @param {Operation[]} operations @returns {Operation} */
function asBatch(operations) {
  return operations.length === 1 ? operations[0] : { type: 'batch', operations };
}
