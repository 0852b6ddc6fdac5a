// What the user has allowed at providers, one flag at a time: no feature waits for two of them.

import { createListeners } from '../shared/listeners.js';

/** @param {() => Promise<Record<string, Record<string, any>>>} read the status, by integration */
export function createScopes(read) {
  const listeners = createListeners();
  /** @type {Record<string, Record<string, any>>} */
  let all = {};
  let asked = 0;
  let shown = 0; // the number of the question whose answer is known

  return {
    /** False until the status was read. @param {string} flag @param {string} [integration] */
    has: (flag, integration = 'cloudsuite') => all[integration]?.[flag] === true,

    /** Reads the status. Throws `WidgetError`. */
    async refresh() {
      const number = (asked += 1);
      const status = await read();
      if (number < shown) return; // a later one has been answered already
      [all, shown] = [status, number];
      listeners.notify();
    },

    onChange: listeners.add,
  };
}
