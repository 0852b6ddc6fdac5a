// @ts-check
// How many messages a widget sends. A burst is no flood, however slowly it is handled: each message
// takes one of the widget's tokens, a large one several, and so many come back in a second.

import { weightOf } from './message-weight.js';
import { LIMITS } from './messages.js';

const SECOND = 1_000; // ms
const ENDLESS = 10_000; // tokens of a paused widget

/**
 * @param {() => number} now milliseconds
 * @returns {{isFlood: (data: unknown) => boolean, isEndless: (data: unknown) => boolean, reset: () => void}} `isFlood`
 *   counts one message more, `isEndless` one that a paused widget sends
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
      return before < ENDLESS && refused >= ENDLESS; // once
    },
    reset() {
      [tokens, last, refused] = [LIMITS.burst, now(), 0];
    },
  };
}
