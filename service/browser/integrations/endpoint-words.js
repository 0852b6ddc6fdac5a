// Describes the catalog entry of an endpoint in words.

import { priceWords } from '../shared/number-words.js';

/** @typedef {import('./endpoint-search.js').Endpoint} Endpoint */

const CATEGORIES = new Map([
  ['ai', 'Models'],
  ['chat', 'Team chat'],
  ['data', 'Data and markets'],
  ['image', 'Pictures and video'],
  ['realtime', 'Calls'],
  ['science', 'Weather and science'],
  ['search', 'Search'],
  ['social', 'People and code'],
  ['sports', 'Sports'],
  ['suite', 'Office suite'],
]);

/** @param {string} category */
export function categoryTitle(category) {
  return CATEGORIES.get(category) ?? category;
}

/** @param {Endpoint} endpoint @returns {string} the price for a list, such as "Up to 18.4 credits" */
export function priceOf({ credits, metered }) {
  if (!credits) return 'Free';
  return metered ? `Up to ${priceWords(credits, credits > 1 ? 1 : 2)}` : priceWords(credits);
}

/** @param {Endpoint} endpoint */
function payerOf({ credits, billing }) {
  if (!credits) return '';
  return billing === 'user' ? 'You pay' : 'The owner of the app pays';
}

/** @typedef {{term: string, text: string}} Fact */

/** @param {Endpoint} endpoint @returns {Fact[]} facts to know before a call */
export function factsAbout(endpoint) {
  const { credits, metered, autoApprove, async: isSlow, cache, perUser, scopes } = endpoint;
  const payer = payerOf(endpoint);
  return [
    { term: 'Price', text: [metered ? `Up to ${priceWords(credits)} for a simple call` : priceOf(endpoint), payer].filter(Boolean).join('. ') },
    metered && { term: 'Metered', text: 'You are told the most that your call can cost before it is made. What it uses is charged.' },
    { term: 'Approval', text: autoApprove ? 'Not needed: it is free and only reads' : 'Needed before each call' },
    isSlow && { term: 'Slow', text: 'May answer with a job, which this page asks for until it ends' },
    cache && { term: 'Cache', text: `Answers are cached for ${duration(cache.seconds)}; a cached one costs nothing` },
    perUser && { term: 'Limit', text: `${perUser.calls} calls in ${duration(perUser.seconds)}` },
    scopes.length && { term: 'Account', text: 'Uses your own account, after you have connected it' },
  ].filter((fact) => typeof fact === 'object' && fact !== null);
}

/** @param {number} seconds */
export function duration(seconds) {
  for (const [size, word] of /** @type {[number, string][]} */ ([[86400, 'day'], [3600, 'hour'], [60, 'minute']])) {
    if (seconds >= size && seconds % size === 0) return counted(seconds / size, word);
  }
  return counted(seconds, 'second');
}

/** @param {number} number @param {string} word */
function counted(number, word) {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
