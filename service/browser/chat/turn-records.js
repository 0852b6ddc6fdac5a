// The records of `ai-turns` for the open chat: how each reply ended and what it cost.

import { createListeners } from '../shared/listeners.js';
import { createLiveCollection } from '../shared/live-collection.js';

/** @typedef {import('./turn-words.js').Turn} Turn */

/** @param {Omit<Parameters<typeof createLiveCollection>[1], 'where'>} connections */
export function createTurnRecords(connections) {
  const listeners = createListeners();
  /** @type {import('../shared/live-collection.js').LiveCollection | null} */
  let collection = null;
  /** @type {Map<string, Turn>} by the id of the reply */
  let turns = new Map();

  function read() {
    const rows = Object.values(collection?.rows ?? {});
    turns = new Map(rows.map((row) => [row.data.assistantMessageId, row]));
    listeners.notify();
  }

  function stop() {
    collection?.stop();
    collection = null;
    turns = new Map();
  }

  return {
    onChange: listeners.add,
    /** @param {string} replyId */
    of: (replyId) => turns.get(replyId) ?? null,
    refresh: () => collection?.refresh(),
    /** @param {string | null} chatId */
    open(chatId) {
      stop();
      if (!chatId) return;
      collection = createLiveCollection('ai-turns', { ...connections, where: { chatId } });
      collection.onChange(read);
    },
    stop,
  };
}
