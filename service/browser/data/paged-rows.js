// The records of a collection in pages, which the WebSocket keeps up to date. Only the requested pages are loaded: the
// subscription begins at a cursor and gets no snapshot.

import { ApiError, NetworkError, errorText } from '../shared/errors.js';
import { createListeners } from '../shared/listeners.js';
import { UNAVAILABLE } from '../shared/socket-state.js';
import { NEWEST_FIRST } from './order.js';
import { createRecordWrites } from './record-writes.js';
import { createRowList } from './row-list.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {ReturnType<typeof createPagedRows>} PagedRows
 * @typedef {{where?: Record<string, any>, sort?: string, size?: number}} Query
 */

const NOTHING = { recordId: { in: [] } }; // matches no record: its snapshot is empty and has the current cursor
const PAGE_LIMIT = 200; // records, the limit of the server

/**
 * @param {string} name
 * @param {{transport: import('../shared/api-transport.js').Transport,
 *   socket: import('../shared/records-socket.js').RecordsSocket}} connections
 * @param {Query} [query]
 */
export function createPagedRows(name, { transport, socket }, { where = {}, sort = NEWEST_FIRST, size = 50 } = {}) {
  const listeners = createListeners();
  const shown = createRowList();
  /** @type {any[]} messages that arrived while a page was being read */
  let waiting = [];
  let reading = 0; // the number of the newest request
  let busy = false;
  let isUnread = false; // whether the last request for the first rows has failed: the socket does not send these rows
  /** @type {string | null} */
  let cursor = null;
  let stopSubscription = () => {};
  const self = {
    name,
    /** In the order of the table. */
    get list() {
      return shown.list;
    },
    get rows() {
      return shown.rows;
    },
    loaded: false,
    missing: false,
    problem: '',
    offline: false, // whether the problem is that the server can't be reached, which the page itself shows
    sort,
    hasMore: false,
    /** How many records were added elsewhere and are not shown. */
    get news() {
      return shown.news;
    },
    isReading: () => busy,
    /** Whether the last request for the first rows has failed, and they are not requested again automatically. */
    get isUnread() {
      return isUnread;
    },
    onChange: listeners.add,
    ask,
    more,
    /** Reads again, unless the socket is open and reports every change. */
    refresh: () => (socket.phase === 'open' && (!isUnread || busy) ? Promise.resolve() : readAgain()),
    readAgain,
    put,
    drop,
    stop,
  };
  const writes = createRecordWrites(name, transport, { put, drop, rowOf: (id) => shown.rows[id] });
  const removePhaseListener = socket.onPhase(onPhase);
  begin();

  /** @param {Partial<typeof self>} values */
  function set(values) {
    Object.assign(self, values);
    listeners.notify();
  }

  /** Subscribes first and reads then, so that no change between the two is lost. */
  function begin() {
    stopSubscription();
    stopSubscription = socket.subscribe(name, NOTHING, (message) => {
      if (message.error === UNAVAILABLE) return void readAgain(); // reads the rows now; the socket subscribes again later
      stopSubscription();
      if (message.type === 'error') fail(new ApiError(0, message));
      else stopSubscription = socket.subscribe(name, where, receive, message.cursor);
      if (!self.missing) readAgain();
    });
    if (socket.phase === 'waiting') read(size);
  }

  /** Reads the records once over HTTP while there is no socket. */
  function onPhase() {
    if (socket.phase === 'waiting' && !self.loaded && !busy) read(size);
    if (socket.phase === 'open' && self.problem) set({ problem: '' });
    if (socket.phase === 'open' && isUnread && !busy) readAgain();
  }

  function readAgain() {
    return read(Math.max(size, shown.list.length));
  }

  /** Reads the first rows. @param {number} count */
  async function read(count) {
    const limit = Math.min(count, PAGE_LIMIT);
    const number = (reading += 1);
    busy = true;
    waiting = [];
    await receivePage(number, { limit }, shown.begin);
  }

  /** Reads the next page, of `size` rows. */
  async function more() {
    if (!cursor || busy) return;
    const number = (reading += 1);
    busy = true;
    listeners.notify();
    await receivePage(number, { limit: size, cursor }, shown.append);
  }

  /** @param {number} number of the request @param {Record<string, any>} page @param {(records: Row[]) => void} take */
  async function receivePage(number, page, take) {
    try {
      const answer = await transport.get(`/api/records/${name}`, { where, sort: self.sort, ...page });
      if (number !== reading) return;
      cursor = answer.nextCursor;
      take(answer.records);
      if (!page.cursor) isUnread = false;
      set({ loaded: true, missing: false, problem: '', hasMore: cursor !== null });
    } catch (error) {
      if (number !== reading) return;
      isUnread ||= !page.cursor;
      fail(error);
    }
    if (number !== reading) return;
    busy = false;
    for (const message of waiting.splice(0)) shown.apply(message, self);
    listeners.notify();
  }

  /** @param {any} message */
  function receive(message) {
    if (message.type === 'resync') return begin();
    if (message.error === UNAVAILABLE) return undefined; // the socket subscribes again from the same cursor, so nothing is missed
    if (message.type === 'error') return fail(new ApiError(0, message));
    if (busy) return void waiting.push(message);
    shown.apply(message, self);
    listeners.notify();
  }

  /** @param {Row} record as returned by a write of this page */
  function put(record) {
    shown.put(record, self.sort);
    listeners.notify();
  }

  /** @param {string} recordId of a record that this page has deleted */
  function drop(recordId) {
    shown.drop(recordId);
    listeners.notify();
  }

  /** @param {unknown} error */
  function fail(error) {
    const isGone = error instanceof ApiError && ['not_found', 'forbidden'].includes(error.code);
    set(isGone ? { missing: true, loaded: true } : { problem: errorText(error), offline: error instanceof NetworkError });
  }

  /** Shows other records, or another order. @param {Query} next */
  function ask(next) {
    where = next.where ?? where;
    reading += 1; // drops the answer to an earlier request
    [cursor, busy, isUnread] = [null, false, false];
    Object.assign(self, { sort: next.sort ?? self.sort, loaded: false, problem: '', hasMore: false });
    shown.clear();
    begin();
    listeners.notify();
  }

  function stop() {
    reading += 1; // drops a later answer
    stopSubscription();
    removePhaseListener();
  }

  return Object.assign(self, { create: writes.create, change: writes.change, remove: writes.remove });
}
