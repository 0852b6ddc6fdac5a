// @ts-check
// How many messages a widget sends. A burst is no flood, however slowly it is handled: each message
// takes one of the widget's tokens, and so many come back in a second.

import { LIMITS } from './messages.js';

const SECOND = 1_000; // ms
const ENDLESS = 10_000; // messages of a paused widget

/**
 * @param {() => number} now milliseconds
 * @returns {{isFlood: () => boolean, isEndless: () => boolean, reset: () => void}} `isFlood` counts one
 *   message more, `isEndless` one that a paused widget sends
 */
export function createRateMeter(now = () => performance.now()) {
  /** @type {number} */
  let tokens = LIMITS.burst;
  let last = now();
  let refused = 0;
  return {
    isFlood() {
      const time = now();
      tokens = Math.min(LIMITS.burst, tokens + ((time - last) / SECOND) * LIMITS.messagesPerSecond);
      last = time;
      if (tokens < 1) return true;
      tokens -= 1;
      return false;
    },
    isEndless() {
      refused += 1;
      return refused === ENDLESS; // once
    },
    reset() {
      [tokens, last, refused] = [LIMITS.burst, now(), 0];
    },
  };
}
