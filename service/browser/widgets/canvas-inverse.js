// The inverse of an operation on a canvas.

import { apply, hasEnds, touches, widgetOf } from './canvas-state.js';

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./canvas-state.js').Operation} Operation
 * @typedef {import('./canvas-state.js').Place} Place
 */

/**
 * @param {Canvas} state before the operation @param {Operation} operation
 * @returns {Operation | null} null if the operation has no effect
 */
export function inverse(state, operation) {
  if (operation.type === 'batch') return inverseOfBatch(state, operation.operations);
  return apply(state, operation) === state ? null : inverseOfOne(state, operation);
}

/**
 * @param {Canvas} state @param {Exclude<Operation, {type: 'batch'}>} operation which has an effect
 * @returns {Operation}
 */
function inverseOfOne(state, operation) {
  switch (operation.type) {
    case 'add-widget':
      return { type: 'remove-widget', id: operation.widget.id };
    case 'remove-widget':
      return restoration(state, operation.id);
    case 'note-widget':
      return { type: 'note-widget', id: operation.id, noted: state.io.widgets[operation.id] };
    case 'set-title':
      return { type: 'set-title', title: state.title };
    case 'connect':
      return { type: 'disconnect', id: operation.connection.id };
    case 'disconnect': {
      const [{ item, at }] = placesOf(state.io.connections, (connection) => connection?.id === operation.id);
      return { type: 'connect', connection: item, at };
    }
    case 'set-enabled':
      return earlierSwitch(state, operation.id);
    default:
      return earlierValues(findWidget(state, operation.id), operation);
  }
}

/** @param {Canvas} state @param {string} id of a connection @returns {Operation} */
function earlierSwitch(state, id) {
  const { enabled } = state.io.connections.find((connection) => connection?.id === id);
  return { type: 'set-enabled', id, ...(enabled === undefined ? {} : { enabled }) };
}

/**
 * @param {CanvasWidget} widget
 * @param {Extract<Operation, {type: 'move' | 'resize' | 'set-settings'}>} operation
 * @returns {Operation}
 */
function earlierValues({ id, x, y, width, height, settings }, operation) {
  if (operation.type === 'move') return { type: 'move', id, x, y };
  if (operation.type === 'set-settings') return { type: 'set-settings', id, settings, seen: operation.settings };
  const moved = operation.x !== undefined || operation.y !== undefined;
  return { type: 'resize', id, width, height, ...(moved ? { x, y } : {}) };
}

/** @param {Canvas} state @param {string} id @returns {Operation} an operation that adds the widget again with its connections and state */
function restoration(state, id) {
  const connections = placesOf(state.io.connections, (connection) => touches(connection, id)).map((place) =>
    hasEnds(state, place.item) ? place : { ...place, broken: true },
  );
  const at = state.widgets.findIndex((widget) => widget.id === id);
  return { type: 'add-widget', widget: findWidget(state, id), at, connections, noted: state.io.widgets[id] };
}

/** @param {Canvas} state @param {Operation[]} operations @returns {Operation | null} */
function inverseOfBatch(state, operations) {
  const inverses = [];
  for (const operation of operations) {
    const one = inverse(state, operation);
    if (one) inverses.unshift(one);
    state = apply(state, operation);
  }
  return inverses.length ? { type: 'batch', operations: inverses } : null;
}

/** @param {any[]} list @param {(item: any) => boolean} wanted @returns {Place[]} in ascending order */
function placesOf(list, wanted) {
  return list.map((item, at) => ({ item, at })).filter(({ item }) => wanted(item));
}

/** @param {Canvas} state @param {string} id */
function findWidget(state, id) {
  return /** @type {CanvasWidget} */ (widgetOf(state, id));
}
