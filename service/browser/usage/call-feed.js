// The user's calls of endpoints, newest first: loaded in pages, and kept up to date by the socket.
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
 * @param {(error: unknown) => void} options.onProblem null when it is over
 */
export function createCallFeed({ transport, socket, onChange, onProblem }) {
  /** @type {Map<string, CallRow>} */
  const rows = new Map();
  /** @type {Filter} */
  let filter = 'all';
  /** @type {string | null} */
  let cursor = null;
  let loaded = false;
  let reads = 0; // an answer to an earlier filter is dropped
  let unsubscribe = () => {};

  /** @param {Filter} wanted */
  function choose(wanted) {
    filter = wanted;
    loaded = false;
    cursor = null; // of another list
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

  /** An answer may be older than what the socket has told since it was asked for. @param {CallRow} row */
  function put(row) {
    const known = rows.get(row.recordId);
    if (!(known && known.updatedAt > row.updatedAt)) rows.set(row.recordId, row);
  }

  /**
   * Subscribes to what is newer, and to the calls whose jobs still run: a user may have more calls
   * than a page should hold.
   * @param {string} [newest]
   */
  function follow(newest = '1970-01-01T00:00:00Z') {
    unsubscribe();
    unsubscribe = socket.subscribe(NAME, { or: [{ createdAt: { gt: newest } }, { status: 'accepted' }] }, receive);
  }

  /** @param {any} message */
  function receive(message) {
    if (message.type === 'snapshot') message.records.forEach(put);
    if (message.type === 'change' && message.action !== 'removed') put(message.record);
    if (message.type === 'change' && message.action === 'removed') readAgain(message.record.recordId);
    onChange();
  }

  /** A row that has left the subscription is deleted, or its job has ended. @param {string} id */
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
    /** Asks for the state of a call's job, which the service stores in the call. @param {CallRow} row */
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
    /** @returns {CallRow[]} those of the filter, newest first */
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
