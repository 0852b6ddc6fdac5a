// @ts-check
// Limits the rate of a widget's messages with a token bucket: each message takes one token, a large one several, and a
// fixed number of tokens comes back per second. So a short burst is allowed.

import { weightOf } from './message-weight.js';
import { LIMITS } from './messages.js';

const SECOND = 1_000; // ms
const ENDLESS = 10_000; // tokens that a paused widget may use before it is ended

/**
 * @param {() => number} now milliseconds
 * @returns {{isFlood: (data: unknown) => boolean, isEndless: (data: unknown) => boolean, reset: () => void}} `isFlood`
 *   counts one more message, `isEndless` one more message of a paused widget
 */
export function createRateMeter(now = () => performance.now()) {
  /** @type {number} */
  let tokens = LIMITS.burst;
  let last = now();
  let refused = 0;
  return {
    isFlood(data) {
      const weight = weightOf(data);
      const time = now();
      tokens = Math.min(LIMITS.burst, tokens + ((time - last) / SECOND) * LIMITS.messagesPerSecond);
      last = time;
      if (tokens < weight) return true;
      tokens -= weight;
      return false;
    },
    isEndless(data) {
      const before = refused;
      refused += weightOf(data);
      return before < ENDLESS && refused >= ENDLESS; // true only once
    },
    reset() {
      [tokens, last, refused] = [LIMITS.burst, now(), 0];
    },
  };
}
