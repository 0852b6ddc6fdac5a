// @ts-check
// The status of the user's connections for one widget. However often it asks, one request is under way.

/** @typedef {Record<string, any>} Status by integration */

/** @param {() => Promise<Status>} read @returns {() => Promise<Status>} */
export function createScopes(read) {
  /** @type {Promise<Status> | null} */
  let running = null;
  /** @type {Promise<Status> | null} */
  let next = null;

  /** @returns {Promise<Status>} */
  function begin() {
    next = null;
    running = read().finally(() => (running = null));
    return running;
  }

  // A request that began before the question may be older than a consent: it is answered by the next one.
  return () => (running ? (next ??= running.then(begin, begin)) : begin());
}
