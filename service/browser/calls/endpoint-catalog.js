// The catalog of endpoints, loaded when the first card needs it.

import { readEndpoints } from '../page/readings.js';

/** @typedef {import('../integrations/endpoint-search.js').Endpoint} Endpoint */
/** @typedef {ReturnType<typeof createEndpointCatalog>} EndpointCatalog */

/** @param {import('../shared/api-transport.js').Transport} transport */
export function createEndpointCatalog(transport) {
  /** @type {Map<string, Endpoint> | null} */
  let endpoints = null;
  /** @type {Set<() => void>} */
  let waiting = new Set();
  let isLoading = false;

  async function load() {
    isLoading = true;
    try {
      endpoints = new Map((await readEndpoints(transport)).flatMap(namesOf));
    } catch {
      return; // the cards show the endpoints' names instead; the next card tries again
    } finally {
      isLoading = false;
    }
    const listeners = waiting;
    waiting = new Set();
    for (const listener of listeners) listener();
  }

  return {
    /** @param {string} name of an endpoint, or of its tool @param {() => void} later called once, when the catalog is loaded */
    find(name, later) {
      if (endpoints) return endpoints.get(name);
      waiting.add(later);
      if (!isLoading) load();
      return undefined;
    },
  };
}

/** An endpoint's name, and the name of its tool, which has no slash. @param {Endpoint} endpoint @returns {[string, Endpoint][]} */
function namesOf(endpoint) {
  const names = [endpoint.name, endpoint.name.replace('/', '.'), ...endpoint.aliases];
  return names.map((name) => [name, endpoint]);
}
