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
  return {
    collection,
    /** @param {string} chatId one object a chat: its turn goes on while another is shown */
    conversation(chatId) {
      const known = conversations.get(chatId) ?? createConversation(chatId, world);
      if (!conversations.has(chatId)) known.load();
      conversations.set(chatId, known);
      return known;
    },
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
    /** @param {string} chatId */
    async remove(chatId) {
      await transport.delete(`/api/ai/chats/${chatId}`);
      conversations.delete(chatId);
      drafts.set(chatId, '');
      drafts.hold(chatId, null);
      collection.drop(chatId);
    },
    stop() {
      collection.stop();
      for (const conversation of conversations.values()) conversation.leave();
    },
  };
}

/** @param {any} chat the flat record of the chat routes @returns {import('./messages.js').Row} */
function recordOf({ recordId, createdAt, updatedAt, ...data }) {
  return { recordId, data, createdAt, updatedAt };
}
