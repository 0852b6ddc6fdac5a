// Reads the stored messages of a chat, page by page.

import { messagesOf } from './messages.js';

export const PAGE = 50; // messages

/**
 * @typedef {{messages: import('./messages.js').Message[], earlier: string | null, newest: string}} History
 *   `earlier` is the cursor of the page of earlier messages, if there is one; `newest` is when the last of the messages
 *   was stored, '' if there is none
 */

/**
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {string} chatId
 * @param {string | null} cursor null for the newest page
 * @param {number} [limit] at most 200
 * @returns {Promise<History>}
 */
export async function readPage(transport, chatId, cursor, limit = PAGE) {
  const query = { where: { chatId }, sort: '-createdAt', limit, cursor };
  const { records, nextCursor } = await transport.get('/api/records/ai-messages', query);
  const newest = records[0]?.createdAt ?? '';
  return { messages: messagesOf(records.reverse()), earlier: nextCursor, newest };
}

/**
 * Reads the newest page of a chat again and again.
 * @param {import('../shared/api-transport.js').Transport} transport @param {string} chatId
 * @returns {() => Promise<History | null>} null if a later request was answered first
 */
export function createNewestReader(transport, chatId) {
  let last = 0;
  let shown = 0; // the number of the newest request that was answered
  return async () => {
    const number = (last += 1);
    const newest = await readPage(transport, chatId, null);
    if (number < shown) return null;
    shown = number;
    return newest;
  };
}

/**
 * Joins the earlier messages that were loaded before with the newest page, which was read again.
 * @param {History} known @param {History} newest @returns {History}
 */
export function mergeNewest(known, newest) {
  const first = newest.messages[0]?.id;
  const at = known.messages.findIndex((message) => message.id === first);
  if (at < 1) return newest;
  return { ...newest, messages: [...known.messages.slice(0, at), ...newest.messages], earlier: known.earlier };
}
