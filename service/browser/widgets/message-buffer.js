// @ts-check
// A buffer with the newest messages of widgets, as short texts without secrets. The events themselves are not kept,
// because each may have a quarter of a megabyte.

import { messageText } from './message-text.js';

const SHOWN = 2_000; // characters of a message that are kept

/**
 * @typedef {object} Entry
 * @property {number} at in ms since 1970
 * @property {string} type of the host's event, such as `sent`, `received`, `drop`, `call`
 * @property {string} widgetId '' if the sender was not a widget
 * @property {string} summary
 * @property {string} details
 * @typedef {ReturnType<typeof createMessageBuffer>} MessageBuffer
 */

/** @param {any} event of a host @param {number} [at] in ms since 1970 @returns {Entry} */
export function entryOf(event, at = Date.now()) {
  const { type, widgetId = '' } = event;
  return { at, type, widgetId, summary: summaryOf(event), details: detailsOf(event) };
}

/** @param {number} [most] entries that are kept @param {() => number} [now] in ms since 1970 */
export function createMessageBuffer(most = 500, now = Date.now) {
  /** @type {Entry[]} the oldest first */
  let entries = [];
  /** @type {Entry[] | null} the entries at the time of the pause; null if not paused */
  let paused = null;
  let missed = 0;
  return {
    /** @param {any} event of a host */
    add(event) {
      entries.push(entryOf(event, now()));
      if (entries.length > 2 * most) entries = entries.slice(-most); // not at each message, because this copies all entries
      if (paused) missed += 1;
    },
    /** @param {string} [widgetId] without it, all entries are returned @returns {Entry[]} the newest first */
    rows(widgetId) {
      const all = paused ?? entries.slice(-most);
      return all.filter((entry) => widgetId === undefined || entry.widgetId === widgetId).reverse();
    },
    /** @returns {string[]} the widgets of the entries, and '' for senders that are not widgets */
    widgetIds: () => [...new Set((paused ?? entries.slice(-most)).map((entry) => entry.widgetId))],
    get isPaused() {
      return paused !== null;
    },
    /** How many messages have come since the pause began. */
    get missed() {
      return missed;
    },
    pause() {
      paused ??= entries.slice(-most);
    },
    resume() {
      [paused, missed] = [null, 0];
    },
    clear() {
      entries = [];
      missed = 0;
      if (paused) paused = [];
    },
  };
}

/** @param {any} event @returns {string} */
function summaryOf({ type, message, reason, field, endpoint, approval, success, height }) {
  if (type === 'drop') return `${message || 'a message'}: ${reason}${field ? ` (${field})` : ''}`;
  if (type === 'call') return `${endpoint}: ${success ? 'succeeded' : 'failed'}`;
  if (type === 'approval') return `${endpoint}: ${approval}`;
  return type === 'resize' ? `${height} px` : (message?.type ?? '');
}

/** @param {any} event */
function detailsOf({ message }) {
  if (typeof message !== 'object' || message === null) return '';
  const { type: _, ...rest } = message;
  return messageText(rest, SHOWN);
}
