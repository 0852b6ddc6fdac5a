// What a page reads from the server once and all its parts share: the collections and the catalog of endpoints.

/** @typedef {import('../shared/api-transport.js').Transport} Transport */

/** @type {WeakMap<Transport, Map<string, Promise<any>>>} by path */
const readings = new WeakMap();

/**
 * Reads a path once for each signed-in page, and again after `forgetReadings` or a failure.
 * @param {Transport} transport @param {string} path @returns {Promise<any>}
 */
export function readOnce(transport, path) {
  const known = readings.get(transport) ?? new Map();
  readings.set(transport, known);
  const reading = known.get(path) ?? transport.get(path);
  known.set(path, reading);
  reading.catch(() => known.get(path) === reading && known.delete(path));
  return reading;
}

/** @param {Transport} transport @returns {Promise<import('../integrations/endpoint-search.js').Endpoint[]>} the catalog of endpoints */
export async function readEndpoints(transport) {
  return (await readOnce(transport, '/api/integrations/catalog')).endpoints;
}

/** Call this when the server may have been restarted with other collections and endpoints. @param {Transport} transport */
export function forgetReadings(transport) {
  readings.delete(transport);
}
