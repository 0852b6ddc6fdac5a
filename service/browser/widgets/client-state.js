// The stored state of a widget: in the canvas, or in the tab for a standalone widget.

import { LIMITS } from './messages.js';
import { toStored } from './storable.js';
import { TooLargeError, ValidationError } from './widget-errors.js';

/** @param {() => Promise<import('./client-session.js').Session>} session */
export function createState(session) {
  return {
    /**
     * @param {(value: any) => void} listener called with a state that another page has stored; null if there is none
     * @returns {() => void} removes the listener
     */
    onChange(listener) {
      let stop = () => {};
      let isOver = false;
      session().then((opened) => isOver || (stop = opened.onState(listener)), () => {}); // without a session, nothing changes the state
      return () => {
        isOver = true;
        stop();
      };
    },

    /** @returns {Promise<any>} null if nothing was stored */
    get: async () => (await session()).getState(),

    /** Throws `TooLargeError`, `ValidationError`. @param {unknown} value a JSON value */
    async set(value) {
      const copy = toStored(value, LIMITS.stateBytes);
      if (copy.error === 'too_large') {
        const message = `The state has more than ${LIMITS.stateBytes} bytes. Store less.`;
        throw new TooLargeError({ error: 'too_large', message });
      }
      if (copy.error) {
        const message = 'The state must be JSON, without NUL, unpaired surrogates and the key `__proto__`.';
        throw new ValidationError({ error: 'invalid_request', message });
      }
      return (await session()).setState(copy.json);
    },
  };
}
