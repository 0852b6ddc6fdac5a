// The records of a collection on a canvas: the host sends all of them once, then only the changes.
// Source: docs/widgets.md, "Records".

import { newId } from '../shared/ids.js';
import { applyMessage, sortRows } from '../shared/live-rows.js';
import { TYPES } from './messages.js';
import { WidgetError } from './widget-errors.js';

/**
 * @typedef {import('../shared/live-rows.js').Rows} Rows
 * @typedef {object} RecordsListener
 * @property {(records: any[]) => void} onRecords gets all records, the oldest first, at the beginning and after each change
 * @property {(error: unknown) => void} onError called when the subscription has ended
 */

/** @param {(message: Record<string, any>) => void} send on the port */
export function createClientRecords(send) {
  /** @type {Map<string, RecordsListener & {rows: Rows}>} by request id */
  const open = new Map();

  /** @param {string} requestId */
  function end(requestId) {
    if (open.delete(requestId)) send({ type: TYPES.recordsUnsubscribe, requestId });
  }

  return {
    close: () => [...open.keys()].forEach(end),

    /** @param {string} collection @param {RecordsListener} listener @returns {() => void} ends the subscription */
    subscribe(collection, listener) {
      const requestId = newId();
      open.set(requestId, { ...listener, rows: {} });
      send({ type: TYPES.recordsSubscribe, requestId, collection });
      return () => end(requestId);
    },

    /** @param {any} message a parsed message from the port @returns {boolean} whether the message is about records */
    receive(message) {
      const isError = message.type === TYPES.recordsError;
      if (!isError && message.type !== TYPES.recordsSnapshot && message.type !== TYPES.recordsChange) return false;
      const subscription = open.get(message.requestId);
      if (subscription && isError) {
        open.delete(message.requestId);
        subscription.onError(new WidgetError(message, {}));
      } else if (subscription) {
        const kind = message.type === TYPES.recordsSnapshot ? 'snapshot' : 'change';
        subscription.rows = applyMessage(subscription.rows, { ...message, type: kind });
        subscription.onRecords(inOrder(subscription.rows));
      }
      return true;
    },
  };
}

/**
 * The records for a widget, on a canvas or standalone.
 * @param {() => Promise<import('./client-session.js').Session>} session
 */
export function createRecords(session) {
  return {
    /** @param {string} collection that the manifest names @param {RecordsListener} listener @returns {() => void} ends the subscription */
    subscribe(collection, listener) {
      let isOver = false;
      let end = () => {};
      session().then((found) => {
        if (!isOver) end = found.followRecords(collection, listener);
      }, listener.onError);
      return () => {
        isOver = true;
        end();
      };
    },
  };
}

/** @param {Rows} rows */
function inOrder(rows) {
  return sortRows(rows, (row) => row.createdAt);
}
