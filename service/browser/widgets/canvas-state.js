// The data of a canvas record, and the operations on it. A state is immutable: `apply` returns the next state.

import { canonical, isObject } from './json-value.js';
import { connectionId, isRef } from './slot-refs.js';

/**
 * @typedef {object} CanvasWidget
 * @property {string} id
 * @property {string} templateHandle
 * @property {number} x of the left edge, in canvas pixels
 * @property {number} y of the upper edge
 * @property {number} width
 * @property {number} height
 * @property {Record<string, any>} [settings]
 * @typedef {{title: string, widgets: CanvasWidget[],
 *   io: {connections: any[], widgets: Record<string, any>} & Record<string, any>} & Record<string, any>} Canvas
 * @typedef {{item: any, at?: number, broken?: boolean}} Place the position of an entry in its list; without `at`, the
 *   end. A `broken` connection had lost one of its widgets before it was removed.
 */

/**
 * An operation has no effect if its widget or connection does not exist, or if an added one has an id that is in use.
 * @typedef {{type: 'add-widget', widget: CanvasWidget, at?: number, connections?: Place[], noted?: any}} AddWidget
 *   undoing a removal also restores the `connections` and `noted`, the widget's entry in `io.widgets`
 * @typedef {{type: 'remove-widget', id: string}} RemoveWidget removes the connections of the widget too
 * @typedef {{type: 'move', id: string, x: number, y: number}} Move
 * @typedef {{type: 'resize', id: string, width: number, height: number, x?: number, y?: number}} Resize
 * @typedef {{type: 'set-settings', id: string, settings?: Record<string, any>, seen?: Record<string, any>}} SetSettings without
 *   `settings` there are none; `seen` are the settings that an undo step reverts
 * @typedef {{type: 'note-widget', id: string, noted?: any}} NoteWidget sets the widget's entry in `io.widgets`, or removes it
 * @typedef {{type: 'set-title', title: string}} SetTitle
 * @typedef {{type: 'connect', connection: any, at?: number}} Connect
 * @typedef {{type: 'disconnect', id: string}} Disconnect
 * @typedef {{type: 'set-enabled', id: string, enabled?: boolean}} SetEnabled whether a connection delivers values; if absent, it does
 * @typedef {{type: 'batch', operations: Operation[]}} Batch operations that are one undo step
 * @typedef {AddWidget | RemoveWidget | Move | Resize | SetSettings | NoteWidget | SetTitle | Connect | Disconnect | SetEnabled
 *   | Batch} Operation
 */

/** @param {any} data of a record, of which parts may be missing @returns {Canvas} */
export function canvasOf(data) {
  const io = isObject(data?.io) ? data.io : {};
  return {
    ...data,
    title: data?.title ?? data?.name ?? '', // earlier versions stored a `name`
    widgets: Array.isArray(data?.widgets) ? data.widgets : [],
    io: {
      version: 1,
      ...io,
      connections: Array.isArray(io.connections) ? io.connections.map(withId) : [],
      widgets: isObject(io.widgets) ? io.widgets : {},
    },
  };
}

/** @param {any} connection which may be stored without the id that the list of connections needs */
function withId(connection) {
  const lacks = isObject(connection) && connection.id === undefined && isRef(connection.from) && isRef(connection.to);
  return lacks ? { id: connectionId(connection.from, connection.to), ...connection } : connection;
}

/** @param {Canvas} state @param {string} id @returns {CanvasWidget | undefined} */
export function widgetOf(state, id) {
  return state.widgets.find((widget) => widget.id === id);
}

/** @param {Pick<CanvasWidget, 'id'>} widget @returns {string} the id of its shape, which other widgets see */
export function shapeId({ id }) {
  return `shape:${id}`;
}

/**
 * @param {Canvas} state @param {Operation} operation
 * @returns {Canvas} the same object if the operation has no effect
 */
export function apply(state, operation) {
  switch (operation.type) {
    case 'add-widget':
      return widgetOf(state, operation.widget.id) ? state : withWidget(state, operation);
    case 'remove-widget':
      return widgetOf(state, operation.id) ? withoutWidget(state, operation.id) : state;
    case 'move':
      return withValues(state, operation.id, { x: operation.x, y: operation.y });
    case 'resize':
      return withValues(state, operation.id, sizeOf(operation));
    case 'set-settings':
      return withValues(state, operation.id, { settings: operation.settings });
    case 'note-widget':
      return widgetOf(state, operation.id) ? withNoted(state, operation) : state;
    case 'set-title':
      return operation.title === state.title ? state : { ...state, title: operation.title };
    case 'connect':
      return mayConnect(state, operation.connection) ? withConnections(state, [placeOf(operation)]) : state;
    case 'disconnect':
      return withoutConnections(state, (connection) => connection?.id === operation.id);
    case 'set-enabled':
      return withEnabled(state, operation);
    case 'batch':
      return operation.operations.reduce(apply, state);
    default:
      throw new TypeError(`There is no operation “${/** @type {any} */ (operation).type}” on a canvas.`);
  }
}

/** @param {Canvas} state @param {AddWidget} operation @returns {Canvas} */
function withWidget(state, { widget, at, connections = [], noted }) {
  const widgets = insertAll(state.widgets, [{ item: widget, at }]);
  const io = noted === undefined ? state.io : { ...state.io, widgets: { ...state.io.widgets, [widget.id]: noted } };
  const next = { ...state, widgets, io };
  const wanted = (/** @type {Place} */ { item, broken }) => (broken ? isNew(next, item) : mayConnect(next, item));
  return withConnections(next, connections.filter(wanted));
}

/** @param {Canvas} state @param {NoteWidget} operation @returns {Canvas} */
function withNoted(state, { id, noted }) {
  const { [id]: before, ...others } = state.io.widgets;
  if (canonical(before ?? null) === canonical(noted ?? null)) return state;
  const widgets = noted === undefined ? others : { ...others, [id]: noted };
  return { ...state, io: { ...state.io, widgets } };
}

/** @param {Canvas} state @param {string} id @returns {Canvas} */
function withoutWidget(state, id) {
  const { [id]: noted, ...others } = state.io.widgets;
  const io = noted === undefined ? state.io : { ...state.io, widgets: others };
  const widgets = state.widgets.filter((widget) => widget.id !== id);
  return withoutConnections({ ...state, widgets, io }, (connection) => touches(connection, id));
}

/** @param {Canvas} state @param {string} id @param {Partial<CanvasWidget>} values keys with the value undefined are removed */
function withValues(state, id, values) {
  const widget = widgetOf(state, id);
  if (!widget || entriesOf(values).every(([key, value]) => widget[key] === value)) return state;
  const next = Object.fromEntries(entriesOf({ ...widget, ...values }).filter(([, value]) => value !== undefined));
  const widgets = state.widgets.map((each) => (each === widget ? /** @type {any} */ (next) : each));
  return { ...state, widgets };
}

/** @param {object} values @returns {[keyof CanvasWidget, any][]} */
function entriesOf(values) {
  return /** @type {any} */ (Object.entries(values));
}

/** @param {Resize} operation @returns {Partial<CanvasWidget>} */
function sizeOf({ width, height, x, y }) {
  return { width, height, ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }) };
}

/** @param {Canvas} state @param {any} connection @returns {boolean} whether the connection is new and its widgets exist */
function mayConnect(state, connection) {
  return isNew(state, connection) && hasEnds(state, connection);
}

/** @param {Canvas} state @param {any} connection @returns {boolean} */
function isNew(state, { id }) {
  return id === undefined || !state.io.connections.some((other) => other?.id === id);
}

/** @param {Canvas} state @param {any} connection @returns {boolean} */
export function hasEnds(state, { from, to }) {
  return [from, to].every((end) => end && widgetOf(state, end.widgetId) !== undefined);
}

/** @param {Connect} operation @returns {Place} */
function placeOf({ connection, at }) {
  return { item: connection, at };
}

/** @param {Canvas} state @param {Place[]} places @returns {Canvas} */
function withConnections(state, places) {
  if (!places.length) return state;
  return { ...state, io: { ...state.io, connections: insertAll(state.io.connections, places) } };
}

/** @param {Canvas} state @param {(connection: any) => boolean} gone @returns {Canvas} */
function withoutConnections(state, gone) {
  const connections = state.io.connections.filter((connection) => !gone(connection));
  if (connections.length === state.io.connections.length) return state;
  return { ...state, io: { ...state.io, connections } };
}

/** @param {Canvas} state @param {SetEnabled} operation @returns {Canvas} */
function withEnabled(state, { id, enabled }) {
  const before = state.io.connections.find((connection) => connection?.id === id);
  if (!before || (before.enabled ?? true) === (enabled ?? true)) return state;
  const { enabled: _, ...others } = before;
  const next = enabled === undefined ? others : { ...before, enabled };
  const connections = state.io.connections.map((one) => (one === before ? next : one));
  return { ...state, io: { ...state.io, connections } };
}

/** @param {any} connection @param {string} id @returns {boolean} whether the connection begins or ends at a widget */
export function touches(connection, id) {
  return connection?.from?.widgetId === id || connection?.to?.widgetId === id;
}

/** @template T @param {T[]} list @param {{item: T, at?: number}[]} places in ascending order @returns {T[]} */
function insertAll(list, places) {
  const result = [...list];
  for (const { item, at = result.length } of places) result.splice(at, 0, item);
  return result;
}
