// The keys of things that must not be done twice, kept in this tab: they outlive a reload.

/** Of one thing, which has a long content. @param {import('./drafts.js').Drafts} drafts of this tab @param {string} name */
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

/**
 * A key for each of several things that are under way at the same time.
 * @param {import('./drafts.js').Drafts} drafts of this tab @param {string} name @returns {import('../shared/once.js').Keys}
 */
export function createKeptKeys(drafts, name) {
  /** @type {Map<string, string>} where the storage is full */
  const known = new Map();
  return {
    get: (content) => known.get(content) ?? (drafts.get(`${name}:${content}`) || undefined),
    set(content, key) {
      known.set(content, key);
      drafts.set(`${name}:${content}`, key);
    },
    delete(content) {
      known.delete(content);
      drafts.set(`${name}:${content}`, '');
    },
  };
}
