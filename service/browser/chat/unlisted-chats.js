// The chats that the list does not have: deleted ones, and ones that are newer than the list or too old for it.

/**
 * @param {import('../shared/live-collection.js').LiveCollection} collection the list of chats
 * @param {import('../shared/api-transport.js').Transport} transport
 */
export function createUnlistedChats(collection, transport) {
  /** @type {Set<string>} chats that this page has deleted or is deleting */
  const deleted = new Set();
  /** @type {Set<string>} opened chats that were in the list */
  const listed = new Set();
  /** @type {Set<string>} chats that were never in the list, and that the server does not have */
  const missing = new Set();
  /** @type {Map<string, Promise<void>>} the running requests */
  const requests = new Map();

  /** Whether a chat is known not to exist. If the list is not complete, an old chat may be missing from it. @param {string} chatId */
  function isGone(chatId) {
    const { rows, loaded, isCut } = collection;
    const hasLeftList = listed.has(chatId) && loaded && !isCut;
    return !rows[chatId] && (deleted.has(chatId) || missing.has(chatId) || hasLeftList);
  }

  /** Call this for an opened chat when the list has changed. It reads the chat if the list does not have it. @param {string} chatId */
  async function check(chatId) {
    if (collection.rows[chatId]) listed.add(chatId);
    else if (collection.loaded && !isGone(chatId)) await find(chatId);
  }

  /** @param {string} chatId */
  function find(chatId) {
    const request = requests.get(chatId) ?? read(chatId).finally(() => requests.delete(chatId));
    requests.set(chatId, request);
    return request;
  }

  /** @param {string} chatId */
  async function read(chatId) {
    const answer = await transport.get('/api/records/ai-chats', { where: { recordId: chatId } }).catch(() => null);
    if (!answer || collection.rows[chatId] || deleted.has(chatId)) return; // after a failure, the next change of the list tries again
    const [row] = answer.records;
    if (row) return collection.put(row);
    missing.add(chatId);
    collection.drop(chatId); // tells the listeners
  }

  return {
    isGone,
    check,
    /** @param {string} chatId @returns {Promise<boolean>} whether the chat is known not to exist, or is being deleted, after it was looked for */
    async isMissing(chatId) {
      await check(chatId);
      return deleted.has(chatId) || isGone(chatId);
    },
    /** @param {string} chatId @returns {boolean} whether this page has deleted it or is deleting it */
    isDeleted: (chatId) => deleted.has(chatId),
    /** @param {string} chatId @param {boolean} isDeleted */
    noteDeletion: (chatId, isDeleted) => void (isDeleted ? deleted.add(chatId) : deleted.delete(chatId)),
  };
}
