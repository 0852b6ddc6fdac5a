// The key of one thing that must not be done twice, kept in this tab: it outlives a reload.

/** @param {import('./drafts.js').Drafts} drafts of this tab @param {string} name */
export function createKeptKey(drafts, name) {
  /** @type {{body: string, key: string} | null} of a try without an answer, and what it does */
  let pending = JSON.parse(drafts.get(name) || 'null');

  /** @param {typeof pending} next */
  function setPending(next) {
    pending = next;
    drafts.set(name, next ? JSON.stringify(next) : '');
  }

  return {
    clear: () => setPending(null),
    /** @type {import('../shared/once.js').Keys} */
    keys: {
      get: (body) => (pending?.body === body ? pending.key : undefined),
      set: (body, key) => setPending({ body, key }),
      delete: (body) => void (pending?.body === body && setPending(null)),
    },
  };
}
