// Searches endpoints by their names, categories, integrations and summaries.

/**
 * @typedef {object} Endpoint an entry of the catalog
 * @property {string} name
 * @property {string[]} aliases
 * @property {string} category
 * @property {string} summary
 * @property {string[]} methods
 * @property {string} integration
 * @property {'user' | 'developer'} billing
 * @property {number} credits
 * @property {boolean} metered
 * @property {boolean} autoApprove
 * @property {{seconds: number, shared: boolean} | null} cache
 * @property {{calls: number, seconds: number} | null} perUser
 * @property {number} bodyLimit the most bytes of a body
 * @property {boolean} async
 * @property {string[]} scopes
 * @property {string | null} flag of the connection status that a consent for the endpoint sets
 * @property {boolean} configured
 * @property {string} docs
 * @property {{doing: string, done: string} | null} [says] sentence templates with placeholders for values
 */

const PLACES = 5; // places where a word can match: start of a name, inside a name, category, integration, summary

/**
 * The endpoints that match every word, the best first; for an empty query, all endpoints in their order.
 * @param {Endpoint[]} endpoints @param {string} query @returns {Endpoint[]}
 */
export function searchEndpoints(endpoints, query) {
  const words = wordsOf(query);
  if (!words.length) return endpoints;
  const ranked = endpoints.map((endpoint) => ({ endpoint, rank: rankOf(endpoint, words) }));
  const found = ranked.filter(({ rank }) => rank < Infinity);
  return found.sort((one, other) => one.rank - other.rank).map(({ endpoint }) => endpoint);
}

/** The rank of an endpoint: lower is better, and infinite if a word does not match. @param {Endpoint} endpoint @param {string[]} words */
function rankOf(endpoint, words) {
  const names = [endpoint.name, ...endpoint.aliases].map((name) => wordsOf(name).join(' '));
  const others = [endpoint.category, endpoint.integration, endpoint.summary].map((text) => text.toLowerCase());
  return words.map((word) => placeOf(word, names, others)).reduce((sum, place) => sum + place, 0);
}

/** @param {string} word @param {string[]} names @param {string[]} others */
function placeOf(word, names, others) {
  if (names.some((name) => ` ${name}`.includes(` ${word}`))) return 0;
  if (names.some((name) => name.includes(word))) return 1;
  const at = others.findIndex((text) => text.includes(word));
  return at < 0 ? Infinity : PLACES - others.length + at;
}

/** The words of a text; hyphens and slashes separate words too. @param {string} text */
function wordsOf(text) {
  return text.toLowerCase().split(/[\s/_-]+/).filter(Boolean);
}

/**
 * @param {Endpoint[]} endpoints
 * @returns {Map<string, Endpoint[]>} by category, in the order of their first endpoints
 */
export function byCategory(endpoints) {
  /** @type {Map<string, Endpoint[]>} */
  const groups = new Map();
  for (const endpoint of endpoints) {
    groups.set(endpoint.category, [...(groups.get(endpoint.category) ?? []), endpoint]);
  }
  return groups;
}

/** Finds an endpoint by any of its names. @param {Endpoint[]} endpoints @param {string | null} name */
export function endpointNamed(endpoints, name) {
  return endpoints.find((endpoint) => endpoint.name === name || endpoint.aliases.includes(name ?? ''));
}
