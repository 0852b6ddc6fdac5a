// The loaded rows of a collection in the order of its table, and how they change with the messages of the socket.

import { placeOf } from './order.js';

/** @typedef {import('../shared/live-rows.js').Row} Row */

const MOST_ADDED = 100; // rows added elsewhere that are shown without a reload; more are only counted

export function createRowList() {
  /** @type {Set<string>} ids of records that were added elsewhere and are not shown */
  const unseen = new Set();
  /** @type {Set<string>} ids of records that this page has deleted; an earlier change may still arrive */
  const deleted = new Set();
  let added = 0;
  /** @type {Row[]} */
  let list = [];
  /** @type {Record<string, Row>} */
  let rows = {};

  /** @param {Row[]} next */
  function set(next) {
    list = next;
    rows = Object.fromEntries(next.map((row) => [row.recordId, row]));
  }

  /** Without the records that this page has deleted, and with what it has saved since they were requested. @param {Row[]} records as read @returns {Row[]} */
  function current(records) {
    return records.filter(({ recordId }) => !deleted.has(recordId)).map(newest);
  }

  /** @param {Row} record @returns {Row} the shown row if that is newer */
  function newest(record) {
    const known = rows[record.recordId];
    return known && known.updatedAt > record.updatedAt ? known : record;
  }

  /** @param {string} recordId */
  function takeOut(recordId) {
    unseen.delete(recordId);
    set(list.filter((row) => row.recordId !== recordId));
  }

  /** @param {Row} record as returned by a write of this page, or from the socket @param {string} sort of the table */
  function put(record, sort) {
    const known = rows[record.recordId];
    if (deleted.has(record.recordId) || newest(record) !== record) return;
    unseen.delete(record.recordId);
    if (!known) set(list.toSpliced(placeOf(list, record, sort), 0, record));
    else set(list.map((row) => (row === known ? record : row)));
  }

  return {
    /** In the order of the table. */
    get list() {
      return list;
    },
    get rows() {
      return rows;
    },
    /** How many records were added elsewhere and are not shown. */
    get news() {
      return unseen.size;
    },
    clear: () => set([]),
    /** @param {Row[]} records the first rows, which have just been read */
    begin(records) {
      added = 0;
      unseen.clear();
      set(current(records));
    },
    /** @param {Row[]} records the next rows */
    append(records) {
      for (const { recordId } of records) unseen.delete(recordId);
      set(current([...list, ...records.filter(({ recordId }) => !rows[recordId])]));
    },
    put,
    /** @param {string} recordId of a record that this page has deleted */
    drop(recordId) {
      deleted.add(recordId);
      takeOut(recordId);
    },
    /** @param {{action: string, record: Row}} message @param {{sort: string, hasMore: boolean}} table `hasMore` if there are rows beyond the loaded ones */
    apply({ action, record }, { sort, hasMore }) {
      const { recordId } = record;
      if (action === 'removed') return takeOut(recordId);
      if (rows[recordId] || deleted.has(recordId)) return put(record, sort);
      if (action !== 'added') return undefined;
      const at = placeOf(list, record, sort);
      const isBeyond = at === list.length && hasMore;
      if (isBeyond || added >= MOST_ADDED) return void unseen.add(recordId);
      added += 1;
      return set(list.toSpliced(at, 0, record));
    },
  };
}
