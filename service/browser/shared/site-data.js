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

/** A storage whose keys are the keys of the object, as those of the browser's storages are. @returns {any} */
function createMemoryStorage() {
  return Object.create({
    getItem(/** @type {string} */ key) {
      return Object.hasOwn(this, key) ? this[key] : null;
    },
    setItem(/** @type {string} */ key, /** @type {string} */ value) {
      this[key] = String(value);
    },
    removeItem(/** @type {string} */ key) {
      delete this[key];
    },
  });
}

/** @typedef {Pick<BroadcastChannel, 'onmessage' | 'postMessage' | 'close'>} Channel */

/** A channel to the other tabs; if it is blocked or missing, one that reaches nobody. @param {string} name @returns {Channel} */
export function openChannel(name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    return { onmessage: null, postMessage() {}, close() {} };
  }
}
