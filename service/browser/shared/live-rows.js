// The rows of one subscription, updated by snapshots and changes. Pure functions.

/**
 * @typedef {{recordId: string, data: Record<string, any>, createdAt: string, updatedAt: string}} Row
 * @typedef {Record<string, Row>} Rows by recordId
 */

/** @param {Row[]} records @returns {Rows} */
export function rowsOf(records) {
  return Object.fromEntries(records.map((record) => [record.recordId, record]));
}

/** @param {Rows} rows @param {any} message `snapshot` or `change` @returns {Rows} */
export function applyMessage(rows, message) {
  if (message.type === 'snapshot') return rowsOf(message.records);
  if (message.action === 'removed') return withoutRow(rows, message.record.recordId);
  return withRow(rows, message.record);
}

/** @param {Rows} rows @param {Row} record @returns {Rows} */
export function withRow(rows, record) {
  const known = rows[record.recordId];
  // The answer to a write of this page can arrive before the message about an earlier change.
  if (known && known.updatedAt > record.updatedAt) return rows;
  return { ...rows, [record.recordId]: record };
}

/** @param {Rows} rows @param {string} recordId @returns {Rows} */
export function withoutRow(rows, recordId) {
  const { [recordId]: removed, ...rest } = rows;
  return rest;
}

/** @param {Rows} rows @param {(row: Row) => string} key @param {boolean} [descending] */
export function sortRows(rows, key, descending = false) {
  const sign = descending ? -1 : 1;
  return Object.values(rows).sort(
    (a, b) => sign * compareTexts(key(a), key(b)) || compareTexts(a.recordId, b.recordId),
  );
}

/** Compares ids and times, by their code units. @param {string} a @param {string} b */
export function compareTexts(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}
