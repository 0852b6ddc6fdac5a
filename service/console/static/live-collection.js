// A collection on the screen: kept by the socket, or loaded by HTTP where the socket can't be had.

import { createListeners } from './listeners.js';
import { ApiError, inWords } from './errors.js';
import { applied, rowsOf, withRow, without } from './live-rows.js';

const PAGE = 200;
const MOST_PAGES = 5; // 1000 rows; a table of more is no table to read

/**
 * @typedef {import('./live-rows.js').Rows} Rows
 * @typedef {import('./messages.js').Row} Row
 * @typedef {ReturnType<typeof createLiveCollection>} LiveCollection
 */

/**
 * @param {string} name
 * @param {{transport: import('./api-transport.js').Transport,
 *   socket: import('./records-socket.js').RecordsSocket}} doors
 */
export function createLiveCollection(name, { transport, socket }) {
  const listeners = createListeners();
  const path = `/api/records/${name}`;
  const collection = {
    name,
    /** @type {Rows} */
    rows: {},
    loaded: false,
    missing: false,
    problem: '',
    onChange: listeners.add,
    stop,
    /** For those who changed something and may not hear of it: no-op while the socket tells. */
    refresh: () => (socket.phase === 'open' ? Promise.resolve() : load()),
    /** @param {Row} record the answer to a write of our own */
    put: (record) => set({ rows: withRow(collection.rows, record) }),
    /** @param {string} recordId */
    drop: (recordId) => set({ rows: without(collection.rows, recordId) }),
    create,
    update,
    remove,
  };
  const unsubscribe = socket.subscribe(name, undefined, receive);
  const unheard = socket.onPhase(heed);
  heed();

  /** @param {Partial<typeof collection>} values */
  function set(values) {
    Object.assign(collection, values);
    listeners.tell();
  }

  /** @param {any} message */
  function receive(message) {
    if (message.type === 'error') return fail(new ApiError(0, message));
    return set({ rows: applied(collection.rows, message), loaded: true, missing: false, problem: '' });
  }

  /** A connection that failed: show what there is, once, and go on trying. */
  function heed() {
    if (socket.phase === 'waiting' && !collection.loaded) load();
    // A subscription that goes on where it was, and has missed nothing, is told nothing.
    if (socket.phase === 'open' && collection.problem) set({ problem: '' });
  }

  async function load() {
    try {
      const records = [];
      let cursor = null;
      for (let page = 0; page === 0 || (cursor && page < MOST_PAGES); page += 1) {
        const found = await transport.get(path, { limit: PAGE, cursor });
        records.push(...found.records);
        cursor = found.nextCursor;
      }
      set({ rows: rowsOf(records), loaded: true, missing: false, problem: '' });
    } catch (error) {
      fail(error);
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    if (error instanceof ApiError && error.code === 'not_found') set({ missing: true, loaded: true });
    else set({ problem: inWords(error) });
  }

  /** @param {Record<string, any>} data */
  async function create(data) {
    const live = socket.phase === 'open';
    const record = live
      ? await socket.ask({ op: 'create', collection: name, data })
      : await transport.post(path, data);
    if (record) collection.put(record);
    return record;
  }

  /** @param {Row} row @param {Record<string, any>} data only what changes */
  async function update(row, data) {
    const { recordId, updatedAt } = row;
    // By HTTP we may not have heard of a newer version, so the server is told which one we saw.
    const record =
      socket.phase === 'open'
        ? await socket.ask({ op: 'update', collection: name, recordId, data })
        : await transport.patch(`${path}/${recordId}`, data, { 'If-Match': updatedAt });
    // A row that was removed in the meantime stays removed.
    if (record && collection.rows[recordId]) collection.put(record);
  }

  /** @param {Row} row */
  async function remove({ recordId }) {
    if (socket.phase === 'open') await socket.ask({ op: 'delete', collection: name, recordId });
    else await transport.delete(`${path}/${recordId}`);
    collection.drop(recordId);
  }

  function stop() {
    unsubscribe();
    unheard();
  }

  return collection;
}
