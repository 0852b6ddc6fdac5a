// The writes of this page. A snapshot or a page of rows that was requested before a write can arrive after it; the
// write is then applied to these rows again, so that the list does not show the old state.

import { withRow, withoutRow } from './live-rows.js';

/**
 * @typedef {import('./live-rows.js').Rows} Rows
 * @typedef {import('./live-rows.js').Row} Row
 */

export function createOwnWrites() {
  /** @type {Map<string, {row: Row | null, at: number}>} by recordId; null for a removed row */
  const writes = new Map();
  let clock = 0;
  return {
    /** @param {string} recordId @param {Row | null} row as stored, or null when it was removed */
    note: (recordId, row) => writes.set(recordId, { row, at: clock }),
    /** @param {string} recordId of a record whose change the server has reported */
    forget: (recordId) => writes.delete(recordId),
    /** Call this when rows are requested. @returns {number} the time of the request, for `onto` */
    begin: () => (clock += 1),
    /**
     * Applies every write that was made since the rows were requested.
     * @param {Rows} rows @param {number} began the result of `begin`
     * @returns {Rows}
     */
    onto(rows, began) {
      for (const [recordId, { row, at }] of writes) {
        if (at < began) writes.delete(recordId);
        else rows = row ? withRow(rows, row) : withoutRow(rows, recordId);
      }
      return rows;
    },
  };
}
