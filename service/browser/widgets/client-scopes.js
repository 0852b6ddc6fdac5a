// The permissions that the user has given at providers. Each is a separate flag, so that a feature needs only its own.

import { createListeners } from '../shared/listeners.js';

/** @param {() => Promise<Record<string, Record<string, any>>>} read the status, by integration */
export function createScopes(read) {
  const listeners = createListeners();
  /** @type {Record<string, Record<string, any>>} */
  let all = {};
  let lastRequest = 0;
  let shown = 0; // the number of the request whose answer is used

  return {
    /** False until the status was read. @param {string} flag @param {string} [integration] */
    has: (flag, integration = 'cloudsuite') => all[integration]?.[flag] === true,

    /** Reads the status. Throws `WidgetError`. */
    async refresh() {
      const number = (lastRequest += 1);
      const status = await read();
      if (number < shown) return; // a later request has been answered already
      [all, shown] = [status, number];
      listeners.notify();
    },

    onChange: listeners.add,
  };
}
