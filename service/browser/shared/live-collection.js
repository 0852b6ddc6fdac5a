// A collection that the WebSocket keeps up to date, or that is loaded over HTTP while there is no WebSocket.

import { createListeners } from './listeners.js';
import { ApiError, NetworkError, errorText } from './errors.js';
import { applyMessage, rowsOf, withRow, withoutRow } from './live-rows.js';
import { createOnce } from './idempotency.js';
import { createOwnWrites } from './own-writes.js';
import { UNAVAILABLE } from './socket-state.js';

const PAGE = 200;
const MAX_PAGES = 5; // the newest 1000 rows; longer tables are of no use to a reader

/**
 * @typedef {import('./live-rows.js').Rows} Rows
 * @typedef {import('./live-rows.js').Row} Row
 * @typedef {ReturnType<typeof createLiveCollection>} LiveCollection
 */

/**
 * @param {string} name
 * @param {{transport: import('./api-transport.js').Transport,
 *   socket: import('./records-socket.js').RecordsSocket, where?: Record<string, any>}} options
 *   `where` is a filter; without it, the collection has all its records
 */
export function createLiveCollection(name, { transport, socket, where }) {
  const listeners = createListeners();
  const path = `/api/records/${name}`;
  const writes = createOwnWrites();
  /** @type {import('./idempotency.js').Keys} */
  const keys = new Map();
  let subscribed = 0; // when the socket last requested the rows
  let isTooLong = false; // whether the collection is too long for a snapshot: then the socket reports nothing about it
  let newest = 0; // when the rows on the screen were requested; answers to earlier requests are dropped
  const collection = {
    name,
    /** @type {Rows} */
    rows: {},
    loaded: false,
    isCut: false, // whether there are older records than those that were read
    missing: false,
    problem: '',
    offline: false, // whether the problem is that the server can't be reached
    refused: false, // whether the problem does not end by itself
    onChange: listeners.add,
    stop,
    /** Reads the collection again, unless the socket is open and reports every change. */
    refresh: () => (socket.phase === 'open' && !isTooLong ? Promise.resolve() : load()),
    /** @param {Row} record as returned by a write of this page */
    put,
    drop,
    create,
    update,
    remove,
  };
  const unsubscribe = socket.subscribe(name, where, receive);
  const removePhaseListener = socket.onPhase(onPhaseChange);
  onPhaseChange();

  /** @param {Partial<typeof collection>} values */
  function set(values) {
    Object.assign(collection, values);
    listeners.notify();
  }

  /** @param {any} message */
  function receive(message) {
    // The problem is not shown: the socket subscribes again from a cursor, and no message would then remove the problem.
    if (message.error === UNAVAILABLE && collection.loaded) return undefined;
    isTooLong = message.error === 'too_large';
    if (isTooLong) return void load();
    if (message.type === 'error') return fail(new ApiError(0, message));
    const rows = applyMessage(collection.rows, message);
    if (message.type === 'snapshot') return showRead(rows, subscribed);
    writes.forget(message.record.recordId);
    return set({ rows, loaded: true, missing: false, problem: '' });
  }

  /** @param {Rows} rows as read @param {number} began when they were requested @param {boolean} [isCut] */
  function showRead(rows, began, isCut = false) {
    set({ rows: writes.onto(rows, began), loaded: true, isCut, missing: false, problem: '' });
  }

  /** Loads once over HTTP when the connection fails; the socket keeps trying. */
  function onPhaseChange() {
    if (socket.phase === 'waiting' && !collection.loaded) load();
    if (socket.phase === 'open') newest = subscribed = writes.begin();
    // A subscription that resumes and has missed nothing receives no message.
    if (socket.phase === 'open' && collection.problem) set({ problem: '' });
  }

  async function load() {
    const began = writes.begin();
    try {
      const records = [];
      let cursor = null;
      for (let page = 0; page === 0 || (cursor && page < MAX_PAGES); page += 1) {
        const answer = await transport.get(path, { where, sort: '-createdAt', limit: PAGE, cursor });
        records.push(...answer.records);
        cursor = answer.nextCursor;
      }
      if (began < newest) return;
      newest = began;
      showRead(rowsOf(records.reverse()), began, cursor !== null); // in the order in which the socket sends them
    } catch (error) {
      if (began >= newest) fail(error);
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    if (error instanceof ApiError && error.code === 'not_found') set({ missing: true, loaded: true });
    else set({ problem: errorText(error), offline: error instanceof NetworkError, refused: error instanceof ApiError && error.code === 'forbidden' });
  }

  /** @param {Row} record as returned by a write of this page */
  function put(record) {
    writes.note(record.recordId, record);
    set({ rows: withRow(collection.rows, record) });
  }

  /** @param {string} recordId of a row that this page has removed */
  function drop(recordId) {
    writes.note(recordId, null);
    set({ rows: withoutRow(collection.rows, recordId) });
  }

  /** A retry after a lost answer does not create a second record. @param {Record<string, any>} data */
  async function create(data) {
    const record = await createOnce(keys, JSON.stringify(data), (key) =>
      socket.phase === 'open'
        ? socket.request({ op: 'create', collection: name, data, idempotencyKey: key })
        : transport.call('POST', path, { body: data, headers: { 'Idempotency-Key': key } }),
    );
    if (record) put(record);
    return record;
  }

  /** @param {Row} row @param {Record<string, any>} data the changed fields only */
  async function update(row, data) {
    const { recordId, updatedAt } = row;
    // Without the socket, the row may be outdated, so the server checks the version.
    const record =
      socket.phase === 'open'
        ? await socket.request({ op: 'update', collection: name, recordId, data })
        : await transport.patch(`${path}/${encodeURIComponent(recordId)}`, data, { 'If-Match': updatedAt });
    // A row that was removed during the request stays removed.
    if (record && collection.rows[recordId]) put(record);
  }

  /** @param {Row} row */
  async function remove({ recordId }) {
    if (socket.phase === 'open') await socket.request({ op: 'delete', collection: name, recordId });
    else await transport.delete(`${path}/${encodeURIComponent(recordId)}`);
    drop(recordId);
  }

  function stop() {
    unsubscribe();
    removePhaseListener();
  }

  return collection;
}
