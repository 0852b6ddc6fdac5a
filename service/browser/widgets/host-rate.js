// @ts-check
// How many messages a widget sends. A burst is no flood, however slowly it is handled: each message
// takes one of the widget's tokens, and so many come back in a second.

import { LIMITS } from './messages.js';

const SECOND = 1_000; // ms

/**
 * @param {() => number} now milliseconds
 * @returns {{isFlood: () => boolean, reset: () => void}} `isFlood` counts one message more
 */
export function createRateMeter(now = () => performance.now()) {
  /** @type {number} */
  let tokens = LIMITS.burst;
  let last = now();
  return {
    isFlood() {
      const time = now();
      tokens = Math.min(LIMITS.burst, tokens + ((time - last) / SECOND) * LIMITS.messagesPerSecond);
      last = time;
      if (tokens < 1) return true;
      tokens -= 1;
      return false;
    },
    reset() {
      [tokens, last] = [LIMITS.burst, now()];
    },
  };
}
