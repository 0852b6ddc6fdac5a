// @ts-check
// How many frames load at once. Each frame of a sandbox loads all of its modules, because it shares no
// cache with the others. So a canvas of a hundred widgets would make thousands of requests in one
// moment. Chromium refuses those beyond some 2 700 (ERR_INSUFFICIENT_RESOURCES), and their widgets
// would never come.

const AT_ONCE = 6; // a browser has six connections to a server
const LONGEST = 5_000; // ms; after that a frame that is slow keeps the others waiting no longer

/**
 * @typedef {{enter: (start: () => void) => () => void}} Loading `enter` starts a load at once or when
 *   its turn comes; what it returns ends the load or, before its turn, the wait
 */

/**
 * @param {{atOnce?: number, schedule?: (act: () => void, ms: number) => () => void}} [options]
 *   `schedule` returns what cancels
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
