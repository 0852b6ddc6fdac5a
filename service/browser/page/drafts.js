// Stores text that was typed but not sent yet. It survives a reload and an expired session.

/**
 * @typedef {{id: string, text: string, replaces?: boolean}} Question a message being sent: its id, its
 *   text, and whether it replaces the stored message with this id and all messages after it
 * @typedef {ReturnType<typeof createDrafts>} Drafts
 */

const prefixOf = (/** @type {string} */ subject) => `console.draft:${subject}:`;

/** Removes all drafts of a user. @param {Storage} storage @param {string} subject */
export function removeDrafts(storage, subject) {
  const prefix = prefixOf(subject);
  for (const key of Object.keys(storage)) if (key.startsWith(prefix)) storage.removeItem(key);
}

/** @param {Storage} storage @param {string} subject the signed-in user; drafts of other users are not visible */
export function createDrafts(storage, subject) {
  const prefix = prefixOf(subject);
  let isOver = false; // the user has signed out: work that still runs, such as a canvas that could not be stored, must store no draft
  /** @param {string} name @param {string} value */
  const put = (name, value) => {
    if (isOver) return;
    try {
      if (value) storage.setItem(prefix + name, value);
      else storage.removeItem(prefix + name);
    } catch {
      // The storage is full: the text is still on the screen.
    }
  };
  return {
    /** @param {string} name @returns {string} */
    get: (name) => storage.getItem(prefix + name) ?? '',
    set: put,
    /** @param {string} chat @returns {Question | null} */
    question: (chat) => JSON.parse(storage.getItem(`${prefix}sent:${chat}`) ?? 'null'),
    /** @param {string} chat @param {Question | null} question */
    setQuestion: (chat, question) => put(`sent:${chat}`, question ? JSON.stringify(question) : ''),
    /** Removes all drafts of the user, and stores none from now on. */
    clear() {
      isOver = true;
      removeDrafts(storage, subject);
    },
  };
}
