// A promise with a timeout, which its caller can also give up with an AbortSignal.

import { clientError } from './widget-errors.js';

/** @typedef {import('./widget-errors.js').Facts} Facts */

const LONGEST_TIMER = 2 ** 31 - 1; // ms; a longer one would fire at once

/**
 * @template T
 * @param {object} options
 * @param {AbortSignal} [options.signal]
 * @param {number} options.timeoutMs does not run while the wait is paused
 * @param {() => void} options.onGivenUp called once, if the wait ends without an answer
 * @param {Facts} options.facts for the error
 */
export function createWait({ signal, timeoutMs, onGivenUp, facts }) {
  let left = timeoutMs;
  let since = 0;
  /** @type {ReturnType<typeof setTimeout> | null} null while the wait is paused */
  let timer = null;
  let over = false;
  /** @type {(value: T) => void} */
  let resolve;
  /** @type {(error: unknown) => void} */
  let reject;
  /** @type {Promise<T>} */
  const promise = new Promise((...both) => ([resolve, reject] = both));

  function end() {
    pause();
    over = true;
    signal?.removeEventListener('abort', abort);
  }

  function pause() {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    left -= performance.now() - since;
  }

  /** @param {'aborted' | 'timeout'} code */
  function giveUp(code) {
    if (over) return;
    end();
    onGivenUp();
    reject(clientError(code, facts));
  }

  const abort = () => giveUp('aborted');
  signal?.addEventListener('abort', abort);

  return {
    promise,
    pause,
    abort,

    /** Starts the timeout, also after a pause. */
    run() {
      if (over || timer !== null) return;
      since = performance.now();
      timer = setTimeout(() => giveUp('timeout'), Math.min(Math.max(left, 0), LONGEST_TIMER));
    },

    /** @param {T} value */
    succeed(value) {
      if (over) return;
      end();
      resolve(value);
    },

    /** @param {unknown} error */
    fail(error) {
      if (over) return;
      end();
      reject(error);
    },
  };
}
