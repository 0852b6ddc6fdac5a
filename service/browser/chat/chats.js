// Creates, changes and deletes chats with the chat routes. The list of chats is read as a collection.

import { createConversation } from './conversation.js';
import { createStoredKeys } from '../page/stored-keys.js';
import { lastActive } from './chat-row.js';
import { createLiveCollection } from '../shared/live-collection.js';
import { createOnce } from '../shared/idempotency.js';
import { createUnlistedChats } from './unlisted-chats.js';

/** @typedef {ReturnType<typeof createChats>} Chats */

/**
 * @param {Omit<Parameters<typeof createConversation>[1], 'onTurnEnd' | 'isMissing'> & {onTurnEnd: () => void,
 *   socket: import('../shared/records-socket.js').RecordsSocket}} context
 */
export function createChats(context) {
  const { transport, drafts } = context;
  const collection = createLiveCollection('ai-chats', context);
  /** @type {Map<string, import('./conversation.js').Conversation>} */
  const conversations = new Map();
  /** @type {Map<string, string>} by chat: when its last message was stored, as of the last refresh of its conversation */
  const times = new Map();
  const unlisted = createUnlistedChats(collection, transport);
  /** Idempotency keys by number. If the answer of a creation was lost, the next creation with its number gets that chat, even after a reload. */
  const keys = createStoredKeys(drafts, 'chat-key');
  /** @type {Set<string>} the numbers in use: chats that are being created at the same time have different numbers */
  const taken = new Set();
  /** @type {Map<string, AbortController>} by chat: the request that names it after its first question */
  const namings = new Map();
  const unsubscribe = collection.onChange(refreshChanged);

  /** Refreshes the conversations whose chats have changed, because another tab may have added a turn. */
  function refreshChanged() {
    for (const [chatId, conversation] of conversations) {
      const row = collection.rows[chatId];
      unlisted.check(chatId);
      if (!row || lastActive(row) === times.get(chatId)) continue;
      times.set(chatId, lastActive(row));
      conversation.refresh(lastActive(row));
    }
  }

  /** @param {string} chatId */
  function openConversation(chatId) {
    const conversation = createConversation(chatId, { ...context, isMissing: () => unlisted.isMissing(chatId), onTurnBegin });
    conversations.set(chatId, conversation);
    const row = collection.rows[chatId];
    times.set(chatId, row ? lastActive(row) : '');
    conversation.load();
    return conversation;
  }

  /** @param {string} chatId */
  function onTurnBegin(chatId) {
    context.onTurnBegin?.(chatId);
    nameAfter(chatId, conversations.get(chatId)?.turn?.question.text ?? '');
  }

  /** Sets the title from the first question, because the server sets one only after the first complete reply. @param {string} chatId @param {string} question */
  async function nameAfter(chatId, question) {
    const naming = new AbortController();
    const isUnnamed = () => collection.rows[chatId]?.data.title === '' && !naming.signal.aborted;
    if (!isUnnamed()) return;
    namings.set(chatId, naming);
    try {
      const titleFrom = await import('../chat/first-title.js').then((module) => module.titleFrom);
      if (isUnnamed()) await change(chatId, { title: titleFrom(question) }, naming.signal);
    } catch {
      // The server sets a title after the first complete reply.
    } finally {
      namings.delete(chatId);
    }
  }

  /** @param {string} chatId @param {{title?: string, pinned?: boolean}} changes @param {AbortSignal} [signal] */
  async function change(chatId, changes, signal) {
    const answer = await transport.call('PATCH', `/api/ai/chats/${encodeURIComponent(chatId)}`, { body: changes, signal }).catch((error) => {
      if (!unlisted.isDeleted(chatId)) throw error; // a chat that this page has deleted needs no change
    });
    if (answer && collection.rows[chatId]) collection.put(recordOf(answer.chat)); // a chat that was removed meanwhile stays removed
  }

  /** Creates a chat. A retry after a lost answer gets the same chat, even if it is for another message. @param {string} place */
  async function createChat(place) {
    const { chat } = await createOnce(keys, place, (key) => transport.call('POST', '/api/ai/chats', { body: {}, headers: { 'Idempotency-Key': key } }));
    return chat;
  }

  /** Whether nobody has used a chat. After a lost answer, the user may have opened the chat from the list. @param {any} chat */
  function isUnused({ recordId, createdAt, updatedAt }) {
    return updatedAt === createdAt && !conversations.has(recordId);
  }

  function freePlace() {
    let number = 1;
    while (taken.has(`${number}`)) number += 1;
    return `${number}`;
  }

  return {
    collection,
    isGone: unlisted.isGone,
    /** The one conversation object of a chat; its turn continues while another chat is shown. @param {string} chatId */
    conversation: (chatId) => conversations.get(chatId) ?? openConversation(chatId),
    /** Whether a reply is being received and has content already. */
    isReplying: () => [...conversations.values()].some(({ phase, turn }) => phase !== 'idle' && Boolean(turn?.reply.parts.length)),
    /** @returns {Promise<string>} the id of the new chat */
    async create() {
      const place = freePlace();
      taken.add(place);
      try {
        const made = await createChat(place);
        const chat = isUnused(made) ? made : await createChat(place);
        collection.put(recordOf(chat));
        return chat.recordId;
      } finally {
        taken.delete(place);
      }
    },
    /** @param {string} chatId @param {string} title */
    rename: (chatId, title) => change(chatId, { title }),
    /** @param {string} chatId @param {boolean} pinned */
    pin: (chatId, pinned) => change(chatId, { pinned }),
    /** @param {string} chatId @returns {boolean} whether this page deleted it */
    wasRemovedHere: unlisted.isDeleted,
    /** @param {string} chatId */
    async remove(chatId) {
      unlisted.noteDeletion(chatId, true); // before the request: the socket may report the deletion before the response arrives
      namings.get(chatId)?.abort(); // it would get 404, and so would a search
      conversations.get(chatId)?.endSearch();
      await transport.delete(`/api/ai/chats/${encodeURIComponent(chatId)}`).catch((error) => {
        unlisted.noteDeletion(chatId, false);
        throw error;
      });
      conversations.delete(chatId);
      drafts.set(chatId, '');
      drafts.setQuestion(chatId, null);
      collection.drop(chatId);
    },
    stop() {
      unsubscribe();
      collection.stop();
      for (const conversation of conversations.values()) conversation.leave();
    },
  };
}

/** @param {any} chat the flat record of the chat routes @returns {import('../shared/live-rows.js').Row} */
function recordOf({ recordId, createdAt, updatedAt, ...data }) {
  return { recordId, data, createdAt, updatedAt };
}
