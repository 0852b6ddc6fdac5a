// The user's calls of endpoints, newest first. They are loaded in pages, and the WebSocket keeps them up to date.
// @ts-check

import { ApiError } from '../shared/errors.js';
import { hasFailed } from './call-words.js';

/**
 * @typedef {{recordId: string, createdAt: string, updatedAt: string, data: import('./call-words.js').Call}} CallRow
 * @typedef {'all' | 'running' | 'failed'} Filter
 */

const NAME = 'integration-calls';
const PATH = `/api/records/${NAME}`;
const PAGE = 50;
const FILTERS = {
  all: null,
  running: { status: 'accepted' },
  failed: { or: [{ status: 'failed' }, { status: 'refused' }] },
};

/**
 * @param {object} options
 * @param {import('../shared/api-transport.js').Transport} options.transport
 * @param {import('../shared/records-socket.js').RecordsSocket} options.socket
 * @param {() => void} options.onChange
 * @param {(error: unknown) => void} options.onProblem called with an error, or with null when the problem is solved
 */
export function createCallFeed({ transport, socket, onChange, onProblem }) {
  /** @type {Map<string, CallRow>} */
  const rows = new Map();
  /** @type {Filter} */
  let filter = 'all';
  /** @type {string | null} */
  let cursor = null;
  let loaded = false;
  let reads = 0; // the number of requests; only the answer to the newest one is used
  let unsubscribe = () => {};

  /** @param {Filter} wanted */
  function choose(wanted) {
    filter = wanted;
    loaded = false;
    cursor = null; // the old cursor belongs to another list
    rows.clear();
    onChange();
    return refresh();
  }

  /** Reads the first page again. */
  function refresh() {
    return read(null);
  }

  /** @param {string | null} after */
  async function read(after) {
    const mine = ++reads;
    try {
      const answer = await transport.get(PATH, { sort: '-createdAt', limit: PAGE, where: FILTERS[filter], cursor: after });
      if (mine !== reads) return;
      answer.records.forEach(put);
      cursor = answer.nextCursor;
      if (!loaded) follow(answer.records[0]?.createdAt);
      loaded = true;
      onProblem(null);
      onChange();
    } catch (error) {
      if (mine === reads) onProblem(error);
    }
  }

  /** Stores a row unless a newer version is known: the socket may have sent a change after the request. @param {CallRow} row */
  function put(row) {
    const known = rows.get(row.recordId);
    if (!(known && known.updatedAt > row.updatedAt)) rows.set(row.recordId, row);
  }

  /**
   * Subscribes to newer calls of the filter, and to calls whose jobs still run. It does not subscribe to all calls,
   * because a user may have very many: without the filter, a list without failed calls would subscribe to all of them.
   * @param {string} [newest]
   */
  function follow(newest = '1970-01-01T00:00:00Z') {
    unsubscribe();
    unsubscribe = socket.subscribe(NAME, { or: [{ createdAt: { gt: newest }, ...FILTERS[filter] }, { status: 'accepted' }] }, receive);
  }

  /** @param {any} message */
  function receive(message) {
    if (message.type === 'snapshot') message.records.forEach(put);
    if (message.type === 'change' && message.action !== 'removed') put(message.record);
    if (message.type === 'change' && message.action === 'removed') readAgain(message.record.recordId);
    onChange();
  }

  /** Reads a row that has left the subscription: it was deleted, or its job has ended. @param {string} id */
  async function readAgain(id) {
    try {
      put(await transport.get(`${PATH}/${encodeURIComponent(id)}`));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') rows.delete(id);
      else onProblem(error);
    }
    onChange();
  }

  return {
    choose,
    refresh,
    more: () => read(cursor),
    /** Requests the state of a call's job, which the service then stores in the call. @param {CallRow} row */
    async check(row) {
      try {
        await transport.get(`/api/integrations/jobs/${encodeURIComponent(String(row.data.jobId))}`);
      } finally {
        await readAgain(row.recordId);
      }
    },
    get loaded() {
      return loaded;
    },
    get hasMore() {
      return cursor !== null;
    },
    /** @returns {CallRow[]} the rows that match the filter, newest first */
    get rows() {
      const shown = [...rows.values()].filter(({ data }) => isShown(data, filter));
      return shown.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
    },
    stop: () => unsubscribe(),
  };
}

/** @param {import('./call-words.js').Call} call @param {Filter} filter */
function isShown(call, filter) {
  if (filter === 'all') return true;
  return filter === 'failed' ? hasFailed(call) : call.status === 'accepted';
}
