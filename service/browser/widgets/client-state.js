// The state that a widget keeps: in the canvas, or for one tab where the widget is alone.

import { toJson } from './json-value.js';
import { LIMITS } from './messages.js';
import { TooLargeError, ValidationError } from './widget-errors.js';

/** @param {() => Promise<import('./client-session.js').Session>} session */
export function createState(session) {
  return {
    /** @returns {Promise<any>} null if nothing was stored */
    get: async () => (await session()).getState(),

    /** Throws `TooLargeError`, `ValidationError`. @param {unknown} value of JSON */
    async set(value) {
      const copy = toJson(value, LIMITS.stateBytes);
      if (copy.error === 'too_large') {
        const message = `The state has more than ${LIMITS.stateBytes} bytes. Store less.`;
        throw new TooLargeError({ error: 'too_large', message });
      }
      if (copy.error) throw new ValidationError({ error: 'invalid_request', message: 'The state must be JSON.' });
      return (await session()).setState(copy.json);
    },
  };
}
