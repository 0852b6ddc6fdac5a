// The browser's storage, and the messages between the tabs of this origin. Users can block both in the settings of their
// browser, as "cookies and site data"; a read of `sessionStorage` then throws. The page works without them.

/**
 * A storage of the browser; if it is blocked, one that lasts as long as the page.
 * @param {() => Storage} open reads the storage, such as `() => sessionStorage`
 * @returns {Storage}
 */
export function storageOf(open) {
  try {
    return open() ?? createMemoryStorage(); // null in some embedded browsers
  } catch {
    return createMemoryStorage();
  }
}

/**
 * Stores a value that the page can do without. If the storage is full, it then has no value, and no older one that would
 * come back after a reload.
 * @param {Storage} storage @param {string} key @param {string} value
 */
export function storeIfPossible(storage, key, value) {
  try {
    storage.setItem(key, value);
  } catch {
    storage.removeItem(key);
  }
}

/** A storage whose keys are the keys of the object, as those of the browser's storages are. @returns {any} */
function createMemoryStorage() {
  return Object.create(METHODS);
}

const METHODS = {
  /** @this {Record<string, string>} @param {string} key */
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  },
  /** @this {Record<string, string>} @param {string} key @param {string} value */
  setItem(key, value) {
    this[key] = value;
  },
  /** @this {Record<string, string>} @param {string} key */
  removeItem(key) {
    delete this[key];
  },
};

/** @typedef {Pick<BroadcastChannel, 'onmessage' | 'postMessage' | 'close'>} Channel */

/** A channel to the other tabs; if it is blocked or missing, one that reaches nobody. @param {string} name @returns {Channel} */
export function openChannel(name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    return { onmessage: null, postMessage() {}, close() {} };
  }
}
