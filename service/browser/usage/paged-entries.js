// Entries that are read in pages, the newest first.
// @ts-check

const PAGE = 50; // entries that are read first, and with each `more`
const MOST = 200; // entries in one request, the limit of the server

/**
 * @template Entry
 * @typedef {{list: Entry[], loaded: boolean, hasMore: boolean, refresh: () => Promise<void>, more: () => Promise<void>}} PagedEntries
 */

/**
 * @template Entry
 * @param {object} options
 * @param {(page: {limit: number, cursor: string | null}) => Promise<{entries: Entry[], nextCursor: string | null}>} options.read
 * @param {() => void} options.onRead
 * @param {(error: unknown) => void} options.onProblem
 * @returns {PagedEntries<Entry>}
 */
export function createPagedEntries({ read, onRead, onProblem }) {
  /** @type {Entry[]} */
  let entries = [];
  /** @type {string | null} */
  let cursor = null;
  let loaded = false;
  let reads = 0; // how often entries were requested; only the answers to the newest request are used

  /** @param {Entry[]} before the entries that stay @param {string | null} after their cursor @param {number} count the least number of entries, if there are so many */
  async function readFrom(before, after, count) {
    const mine = (reads += 1);
    let all = before;
    try {
      do {
        const limit = Math.min(Math.max(count - all.length, PAGE), MOST);
        const answer = await read({ limit, cursor: after });
        if (mine !== reads) return;
        all = [...all, ...answer.entries];
        after = answer.nextCursor;
      } while (after !== null && all.length < count);
    } catch (error) {
      if (mine === reads) onProblem(error);
      return;
    }
    [entries, cursor, loaded] = [all, after, true];
    onRead();
  }

  return {
    get list() {
      return entries;
    },
    get loaded() {
      return loaded;
    },
    get hasMore() {
      return cursor !== null;
    },
    /** Reads as many entries again as are known. */
    refresh: () => readFrom([], null, entries.length),
    more: () => readFrom(entries, cursor, entries.length + 1),
  };
}
