// Reads and writes the connections that a canvas stores. Nothing is lost: an entry that can't be connected is kept, with
// the reason.

import { canonical, isObject } from './json-value.js';
import { IoError, IoGraph } from './io-graph.js';
import { connectionId, isRef } from './slot-refs.js';

/**
 * @typedef {import('./io-graph.js').Connection} Connection
 * @typedef {import('./io-graph.js').ConnectionCode | 'malformed'} Reason
 * @typedef {{entry: unknown, reason: Reason, message: string}} Broken a stored connection that does not work
 * @typedef {{raw: any, connection: Connection | null}} Entry null for a broken one
 * @typedef {{rest: Record<string, any>, widgets: any, entries: Entry[]}} Extra the parts of the stored
 *   state that a graph does not have: unknown keys, broken entries, the order of the entries
 */

const IO_VERSION = 1;

/**
 * @param {unknown} state `{version, connections, widgets}` of a canvas record, or any other value
 * @param {{id: string, slots: import('./slot-types.js').Slot[]}[]} widgets of the canvas
 * @returns {{graph: IoGraph, broken: Broken[], extra: Extra}} If two connections
 *   exclude each other, the older one works, whatever their order in the state
 */
export function importIo(state, widgets) {
  const graph = new IoGraph();
  for (const widget of widgets) graph.addWidget(widget);
  const { connections, widgets: noted = {}, ...rest } = isObject(state) ? state : {};
  const entries = rawEntries(state, connections).map((raw) => ({ raw, connection: read(raw) }));
  /** @type {Map<unknown, Broken>} by entry, so that each entry has one fault */
  const faults = new Map();
  for (const entry of [...entries].sort(byAge)) {
    const fault = connectEntry(graph, entry);
    if (fault) faults.set(entry, { entry: entry.raw, ...fault });
    if (fault) entry.connection = null;
  }
  const broken = entries.flatMap((entry) => faults.get(entry) ?? []);
  return { graph, broken, extra: { rest, widgets: noted, entries } };
}

/** @param {unknown} state @param {unknown} connections @returns {any[]} */
function rawEntries(state, connections) {
  if (Array.isArray(connections)) return connections;
  const stray = isObject(state) ? connections : state;
  return stray == null ? [] : [stray]; // kept as one malformed entry, so that nothing is lost
}

/** @param {any} raw @returns {Connection | null} null if the entry is malformed */
function read(raw) {
  if (!isObject(raw) || !isRef(raw.from) || !isRef(raw.to)) return null;
  const { from, to, id = connectionId(from, to), createdAt = '', enabled = true } = raw;
  const right = typeof id === 'string' && typeof createdAt === 'string' && typeof enabled === 'boolean';
  return right ? { id, from, to, createdAt, enabled } : null;
}

/** @param {Entry} a @param {Entry} b */
function byAge(a, b) {
  return compare(age(a), age(b));
}

/** @param {Entry} entry @returns {string[]} */
function age({ raw, connection }) {
  return [connection?.createdAt ?? '', connection?.id ?? '', canonical(raw)];
}

/** @param {string[]} a @param {string[]} b */
function compare(a, b) {
  const at = a.findIndex((text, index) => text !== b[index]);
  if (at < 0) return 0;
  return a[at] < b[at] ? -1 : 1;
}

/**
 * @param {IoGraph} graph @param {Entry} entry
 * @returns {{reason: Reason, message: string} | null}
 */
function connectEntry(graph, { connection }) {
  if (!connection) return { reason: 'malformed', message: 'This entry is no connection between two slots.' };
  try {
    graph.connect(connection.from, connection.to, connection);
    return null;
  } catch (error) {
    if (!(error instanceof IoError)) throw error;
    return { reason: /** @type {Reason} */ (error.code), message: error.message };
  }
}

/**
 * Connects a stored entry whose widgets may have been added after it was read.
 * @param {IoGraph} graph @param {Entry} entry
 * @returns {import('./io-graph.js').Delivery[]}
 */
export function connectLate(graph, entry) {
  const stored = read(entry.raw);
  if (!stored) return [];
  try {
    const { connection, deliveries } = graph.connect(stored.from, stored.to, stored);
    entry.connection = connection;
    return deliveries;
  } catch (error) {
    if (!(error instanceof IoError)) throw error;
    return [];
  }
}

/**
 * The state to store: the state that `importIo` read, without the removed connections and with the new ones.
 * @param {IoGraph} graph
 * @param {Partial<Extra>} [extra] from `importIo`
 * @returns {{version: any, connections: any[], widgets: any} & Record<string, any>}
 */
export function exportIo(graph, { rest = {}, widgets = {}, entries = [] } = {}) {
  const current = new Map(graph.connections.map((connection) => [connection.id, connection]));
  const known = new Set(entries.map(({ connection }) => connection?.id));
  // A new connection replaces a broken one between the same slots.
  const replaced = (/** @type {any} */ raw) => current.has(raw?.id) && !known.has(raw.id);
  const kept = entries.flatMap(({ raw, connection }) => {
    if (!connection) return replaced(raw) ? [] : [raw];
    return toStoredEntry(raw, connection, current.get(connection.id));
  });
  const added = [...current.values()].filter(({ id }) => !known.has(id));
  return { version: IO_VERSION, ...rest, connections: [...kept, ...added], widgets };
}

/**
 * @param {any} raw @param {Connection} stored @param {Connection | undefined} now
 * @returns {any[]} the entry to store, or an empty list
 */
function toStoredEntry(raw, stored, now) {
  if (!now) return [];
  const same = now.createdAt === stored.createdAt && now.enabled === stored.enabled;
  return [same ? raw : { ...raw, ...now }];
}
