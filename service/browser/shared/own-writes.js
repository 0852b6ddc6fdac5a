// What this page has written and a list may not show yet: a snapshot or a page of rows that was
// asked for before a write, and arrives after it, must not take the write back.

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
    /** @param {string} recordId of a change that the server has reported */
    forget: (recordId) => writes.delete(recordId),
    /** Call it when rows are asked for. @returns {number} for `onto` */
    begin: () => (clock += 1),
    /**
     * The rows that were read, with every write since they were asked for.
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
