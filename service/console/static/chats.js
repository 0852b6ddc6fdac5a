// Creating, renaming and deleting chats goes through the chat routes; the list itself is a collection.

import { createConversation } from './conversation.js';
import { createLiveCollection } from './live-collection.js';

/** @typedef {ReturnType<typeof createChats>} Chats */

/**
 * @param {Omit<Parameters<typeof createConversation>[1], 'onTurnEnd'> & {onTurnEnd: () => void,
 *   socket: import('./records-socket.js').RecordsSocket}} world
 */
export function createChats(world) {
  const { transport, drafts } = world;
  const collection = createLiveCollection('ai-chats', world);
  /** @type {Map<string, import('./conversation.js').Conversation>} */
  const conversations = new Map();
  /** @type {Map<string, string>} the version of each one's chat that its messages are as new as */
  const versions = new Map();
  /** @type {Set<string>} chats that this page has deleted, or is about to */
  const removed = new Set();
  const unheard = collection.onChange(renew);

  /** A chat that has changed may have a turn of another tab. */
  function renew() {
    for (const [chatId, conversation] of conversations) {
      const version = collection.rows[chatId]?.updatedAt;
      if (!version || version === versions.get(chatId)) continue;
      versions.set(chatId, version);
      conversation.refresh();
    }
  }

  /** @param {string} chatId */
  function begun(chatId) {
    const conversation = createConversation(chatId, world);
    conversations.set(chatId, conversation);
    versions.set(chatId, collection.rows[chatId]?.updatedAt ?? '');
    conversation.load();
    return conversation;
  }

  return {
    collection,
    /** @param {string} chatId one object a chat: its turn goes on while another is shown */
    conversation: (chatId) => conversations.get(chatId) ?? begun(chatId),
    /** @returns {Promise<string>} its id */
    async create() {
      const { chat } = await transport.post('/api/ai/chats');
      collection.put(recordOf(chat));
      return chat.recordId;
    },
    /** @param {string} chatId @param {string} title */
    async rename(chatId, title) {
      const { chat } = await transport.patch(`/api/ai/chats/${chatId}`, { title });
      collection.put(recordOf(chat));
    },
    /** @param {string} chatId @returns {boolean} whether it is gone because this page wanted it */
    removedHere: (chatId) => removed.has(chatId),
    /** @param {string} chatId */
    async remove(chatId) {
      removed.add(chatId); // now: the socket may tell of it before the answer comes
      await transport.delete(`/api/ai/chats/${chatId}`).catch((error) => {
        removed.delete(chatId);
        throw error;
      });
      conversations.delete(chatId);
      drafts.set(chatId, '');
      drafts.hold(chatId, null);
      collection.drop(chatId);
    },
    stop() {
      unheard();
      collection.stop();
      for (const conversation of conversations.values()) conversation.leave();
    },
  };
}

/** @param {any} chat the flat record of the chat routes @returns {import('./messages.js').Row} */
function recordOf({ recordId, createdAt, updatedAt, ...data }) {
  return { recordId, data, createdAt, updatedAt };
}
