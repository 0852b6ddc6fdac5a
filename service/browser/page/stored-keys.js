// Stores the idempotency keys of requests in this tab, so that they survive a reload.

/** Stores the key of one request, with the whole content of the request. @param {import('./drafts.js').Drafts} drafts of this tab @param {string} name */
export function createStoredKey(drafts, name) {
  /** @type {{body: string, key: string} | null} a request whose answer is not known */
  let pending = JSON.parse(drafts.get(name) || 'null');

  /** @param {typeof pending} next */
  function setPending(next) {
    pending = next;
    drafts.set(name, next ? JSON.stringify(next) : '');
  }

  return {
    clear: () => setPending(null),
    /** @type {import('../shared/idempotency.js').Keys} */
    keys: {
      get: (body) => (pending?.body === body ? pending.key : undefined),
      set: (body, key) => setPending({ body, key }),
      delete: (body) => void (pending?.body === body && setPending(null)),
    },
  };
}

/**
 * Stores the keys of several requests that run at the same time.
 * @param {import('./drafts.js').Drafts} drafts of this tab @param {string} name @returns {import('../shared/idempotency.js').Keys}
 */
export function createStoredKeys(drafts, name) {
  /** @type {Map<string, string>} also kept in memory, because the storage may be full */
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
