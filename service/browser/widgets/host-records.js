// @ts-check
// The records for one widget: live rows of the collections that its manifest names, with the rights of the signed-in
// user. Widgets can only read.
// Source: docs/widgets.md, "Records".

import { LIMITS, TYPES } from './messages.js';

/**
 * @typedef {import('../shared/live-rows.js').Rows} Rows
 *
 * The properties of a collection of shared/live-collection.js that are used here.
 * @typedef {object} LiveRecords
 * @property {Rows} rows a new object after each change
 * @property {boolean} loaded
 * @property {boolean} missing
 * @property {string} problem
 * @property {boolean} [refused] whether the problem does not end by itself
 * @property {(listener: () => void) => () => void} onChange
 * @property {() => void} stop
 */

const MANY = 50; // changes; if there are more at once, all rows are sent again

/**
 * @param {object} options
 * @param {string[]} options.collections of the widget's manifest
 * @param {(collection: string) => LiveRecords} [options.records] opens one for each subscription
 * @param {(message: Record<string, any>) => void} options.send sends over the widget's port
 */
export function createHostRecords({ collections, records, send }) {
  /** @type {Map<string, () => void>} by request id */
  const open = new Map();

  /** @param {string} requestId @param {string} error @param {string} message */
  function fail(requestId, error, message) {
    end(requestId);
    send({ type: TYPES.recordsError, requestId, error, message });
  }

  /** @param {string} requestId */
  function end(requestId) {
    open.get(requestId)?.();
    open.delete(requestId);
  }

  /** @param {string} requestId @param {string} collection */
  function follow(requestId, collection) {
    const live = /** @type {(name: string) => LiveRecords} */ (records)(collection);
    /** @type {Rows | null} */
    let sent = null;
    function update() {
      if (live.missing) return fail(requestId, 'not_found', `There is no collection “${collection}” here.`);
      if (!live.loaded) return live.refused ? fail(requestId, 'unavailable', live.problem) : undefined; // any other problem ends by itself
      for (const message of messagesFor(sent, live.rows)) send({ ...message, requestId });
      sent = live.rows;
    }
    const removeListener = live.onChange(update);
    open.set(requestId, () => {
      removeListener();
      live.stop();
    });
    update();
  }

  return {
    /** @param {{requestId: string, collection: string}} message */
    subscribe({ requestId, collection }) {
      if (open.has(requestId)) return; // the answers of two subscriptions with one id could not be distinguished
      if (!records || !collections.includes(collection)) {
        const message = `The manifest of this widget does not name the collection “${collection}”.`;
        return fail(requestId, 'forbidden', records ? message : 'This canvas gives no records.');
      }
      if (open.size >= LIMITS.subscriptions) {
        return fail(requestId, 'too_many', `At most ${LIMITS.subscriptions} subscriptions. End one first.`);
      }
      return follow(requestId, collection);
    },
    /** @param {{requestId: string}} message */
    unsubscribe: ({ requestId }) => end(requestId),
    close() {
      for (const requestId of [...open.keys()]) end(requestId);
    },
  };
}

/**
 * The messages that bring the rows of a widget up to date.
 * @param {Rows | null} before @param {Rows} now
 * @returns {Record<string, any>[]}
 */
function messagesFor(before, now) {
  const snapshot = [{ type: TYPES.recordsSnapshot, records: Object.values(now) }];
  if (!before) return snapshot;
  const written = Object.values(now).filter((record) => before[record.recordId] !== record);
  const removed = Object.values(before).filter((record) => !Object.hasOwn(now, record.recordId));
  if (written.length + removed.length > MANY) return snapshot;
  return [
    ...written.map((record) => ({ type: TYPES.recordsChange, action: 'written', record })),
    ...removed.map((record) => ({ type: TYPES.recordsChange, action: 'removed', record })),
  ];
}
