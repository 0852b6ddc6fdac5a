// @ts-check
// Reads the status of the user's connections for one widget, with at most one request at a time.

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

  // A running request may have begun before a consent, so a new question waits for the next request.
  return () => (running ? (next ??= running.then(begin, begin)) : begin());
}
