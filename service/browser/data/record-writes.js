// Writes records over HTTP. The writes of one record run one after the other, each with the version that this page has
// read. If another column was changed elsewhere, there is no conflict.

import { ApiError } from '../shared/errors.js';
import { createOnce } from '../shared/idempotency.js';
import { valueAt } from './order.js';
import { isSame } from './values.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {Record<string, any>} Data
 * @typedef {{put: (row: Row) => void, drop: (recordId: string) => void, rowOf: (recordId: string) => Row | undefined}} Rows
 * @typedef {import('../shared/idempotency.js').Keys} Keys idempotency keys of creations, by the request body
 * @typedef {ReturnType<typeof createRecordWrites>} RecordWrites
 */

/** Others have changed the columns that the user is changing; nothing was written. */
export class ChangedMeanwhile extends ApiError {
  /** @param {Row} row the current row @param {string[]} columns that others have changed */
  constructor(row, columns) {
    super(409, { error: 'conflict', message: 'This was changed in the meantime.' });
    this.row = row;
    this.columns = columns;
  }
}

/** @param {unknown} error */
function isMissing(error) {
  return error instanceof ApiError && error.status === 404;
}

/** @param {string} name of the collection @param {import('../shared/api-transport.js').Transport} transport @param {Rows} rows */
export function createRecordWrites(name, transport, rows) {
  const path = `/api/records/${name}`;
  /** @type {Map<string, Promise<unknown>>} the last write of each record */
  const last = new Map();
  /** @type {Keys} */
  const ownKeys = new Map();

  /** @param {string} recordId */
  const addressOf = (recordId) => `${path}/${encodeURIComponent(recordId)}`;

  /** @template T @param {string} recordId @param {() => Promise<T>} write @returns {Promise<T>} */
  function inTurn(recordId, write) {
    const done = (last.get(recordId) ?? Promise.resolve()).then(write, write);
    last.set(recordId, done);
    const forget = () => void (last.get(recordId) === done && last.delete(recordId));
    done.then(forget, forget);
    return done;
  }

  /** @param {string} recordId @param {Data} data @param {Data} base the values of these columns that the user saw @param {Row} row */
  async function send(recordId, data, base, row) {
    const theirs = Object.keys(data).filter((column) => !isSame(valueAt(row, column), base[column]) && !isSame(valueAt(row, column), data[column]));
    if (theirs.length) throw new ChangedMeanwhile(row, theirs);
    const record = await transport.patch(addressOf(recordId), data, { 'If-Match': row.updatedAt });
    if (rows.rowOf(recordId)) rows.put(record); // a row that no longer matches the filter is not added again
    return record;
  }

  return {
    /**
     * Throws `ChangedMeanwhile` if others have changed one of these columns.
     * @param {Row} row @param {Data} data the changed columns only @param {Data} [base] the values that the user saw
     * @returns {Promise<Row>}
     */
    change(row, data, base = row.data) {
      const { recordId } = row;
      return inTurn(recordId, async () => {
        try {
          return await send(recordId, data, base, rows.rowOf(recordId) ?? row);
        } catch (error) {
          if (!(error instanceof ApiError && error.status === 409)) throw error;
          const fresh = await transport.get(addressOf(recordId));
          if (rows.rowOf(recordId)) rows.put(fresh);
          return send(recordId, data, base, fresh);
        }
      });
    },
    /**
     * Creates a record. A retry after a lost answer does not create a second one.
     * @param {Data} data @param {Keys} [keys] those of a form are stored, and survive a reload @returns {Promise<Row>}
     */
    async create(data, keys = ownKeys) {
      const record = await createOnce(keys, JSON.stringify(data), (key) => transport.call('POST', path, { body: data, headers: { 'Idempotency-Key': key } }));
      rows.put(record);
      return record;
    },
    /** @param {Row} row @returns {Promise<Row>} the row as it was last, with what was saved just before */
    remove(row) {
      const { recordId } = row;
      return inTurn(recordId, async () => {
        const last = rows.rowOf(recordId) ?? row;
        try {
          await transport.delete(addressOf(recordId));
        } catch (error) {
          if (isMissing(error)) rows.drop(recordId); // without a socket, no message says so
          throw error;
        }
        rows.drop(recordId);
        return last;
      });
    },
  };
}
