// What the signed-in user has connected: the service's status, as last read.

import { inWords } from './errors.js';
import { createListeners } from './listeners.js';

/**
 * @typedef {import('./integrations.js').Status} Status
 * @typedef {ReturnType<typeof createConnections>} Connections
 */

/** @param {import('./api-transport.js').Transport} transport */
export function createConnections(transport) {
  const listeners = createListeners();
  let asked = 0;
  let shown = 0;
  const connections = {
    /** @type {Record<string, Status> | null} by integration; null until it has been read */
    all: null,
    problem: '',
    onChange: listeners.add,

    /** @param {string} name @returns {Status} */
    of: (name) => connections.all?.[name] ?? { connected: false },

    /** Reads it again; never throws, `problem` says what went wrong. */
    async refresh() {
      const turn = (asked += 1);
      const [all, problem] = await transport.get('/api/integrations/status').then(
        (answer) => [answer, ''],
        (error) => [connections.all, inWords(error)],
      );
      if (turn < shown) return; // a later question has been answered already
      shown = turn;
      Object.assign(connections, { all, problem });
      listeners.tell();
    },

    /** Takes everything back. @param {string} name */
    async disconnect(name) {
      await transport.delete(`/api/integrations/oauth/${encodeURIComponent(name)}/disconnect`);
      await connections.refresh();
    },
  };
  return connections;
}
