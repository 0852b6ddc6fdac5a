// The connections of the signed-in user, with the status that was last read from the service.

import { errorText } from './errors.js';
import { createListeners } from './listeners.js';

/**
 * @typedef {{connected: boolean, email?: string} & Record<string, any>} Status
 *
 * @typedef {object} Permission
 * @property {string} flag of the status
 * @property {string} endpoint whose scope sets the flag; called with an empty body, it returns the address of the consent page
 *
 * @typedef {ReturnType<typeof createConnections>} Connections
 */

/** @param {import('./api-transport.js').Transport} transport */
export function createConnections(transport) {
  const listeners = createListeners();
  let lastRequest = 0;
  let lastApplied = 0;
  const connections = {
    /** @type {Record<string, Status> | null} by integration; null until it is read for the first time */
    all: null,
    problem: '',
    onChange: listeners.add,

    /** @param {string} name @returns {Status} */
    of: (name) => connections.all?.[name] ?? { connected: false },

    /** Reads the status again. It never throws: `problem` says what went wrong. */
    async refresh() {
      const number = (lastRequest += 1);
      const [all, problem] = await transport.get('/api/integrations/status').then(
        (answer) => [answer, ''],
        (error) => [connections.all, errorText(error)],
      );
      if (number < lastApplied) return; // a later request has been answered already
      lastApplied = number;
      Object.assign(connections, { all, problem });
      listeners.notify();
    },

    /** Disconnects the account and removes all its permissions. @param {string} name */
    async disconnect(name) {
      await transport.delete(`/api/integrations/oauth/${encodeURIComponent(name)}/disconnect`);
      await connections.refresh();
    },
  };
  return connections;
}

/** @param {Permission} permission @param {Status} status */
export function isGranted({ flag }, status) {
  return status[flag] === true;
}
