// @ts-check
// Limits how many frames load at once. Each sandboxed frame loads all of its modules, because it shares no cache with
// other frames. So a canvas with a hundred widgets would make thousands of requests at the same time. Chromium refuses
// the requests beyond about 2 700 (ERR_INSUFFICIENT_RESOURCES), and these widgets would never be loaded.

const AT_ONCE = 6; // a browser has six connections to a server
const LONGEST = 5_000; // ms; after this, the other frames no longer wait for a slow one

/**
 * @typedef {{enter: (start: () => void) => () => void}} Loading `enter` starts a load at once, or
 *   when its turn comes; it returns a function that ends the load or the wait
 */

/**
 * @param {{atOnce?: number, schedule?: (act: () => void, ms: number) => () => void}} [options]
 *   `schedule` returns a function that cancels the call
 * @returns {Loading}
 */
export function createLoading({ atOnce = AT_ONCE, schedule = setTimer } = {}) {
  /** @type {Set<() => void>} */
  const waiting = new Set();
  let count = 0;

  function next() {
    for (const begin of waiting) {
      if (count >= atOnce) return;
      waiting.delete(begin);
      begin();
    }
  }

  return {
    enter(start) {
      let end = () => void waiting.delete(begin);
      function begin() {
        count += 1;
        const cancel = schedule(() => end(), LONGEST);
        end = () => {
          end = () => {};
          cancel();
          count -= 1;
          next();
        };
        start();
      }
      waiting.add(begin);
      next();
      return () => end();
    },
  };
}

/** @param {() => void} act @param {number} ms */
function setTimer(act, ms) {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
