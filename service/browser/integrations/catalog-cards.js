// Makes the cards of an integration that this page does not know, from the endpoints of the catalog: one card for each
// flag of the connection status. An endpoint whose permission sets no flag belongs to the card of the whole account.

import { titleOf, wordsOf } from './titles.js';

/**
 * @typedef {import('./endpoint-search.js').Endpoint} Endpoint
 * @typedef {import('./integrations.js').Card} Card
 * @typedef {import('./integrations.js').Integration} Integration
 */

const NAMED = 3; // how many endpoints a card describes

/** @param {string} name @param {Endpoint[]} catalog @returns {Integration} */
export function describedIntegration(name, catalog) {
  /** @type {Map<string, Endpoint[]>} */
  const byFlag = new Map();
  for (const endpoint of catalog) {
    if (endpoint.integration !== name || !endpoint.scopes.length) continue;
    const flag = endpoint.flag ?? 'connected';
    byFlag.set(flag, [...(byFlag.get(flag) ?? []), endpoint]);
  }
  return { title: titleOf(name), cards: [...byFlag].map(([flag, endpoints]) => cardOf(flag, endpoints)) };
}

/** @param {string} flag @param {Endpoint[]} endpoints @returns {Card} */
function cardOf(flag, endpoints) {
  const more = endpoints.length - NAMED;
  const allows = endpoints.slice(0, NAMED).map(({ summary }) => summary);
  if (more > 0) allows.push(`And ${more} more.`);
  return { flag, title: flag === 'connected' ? 'Account' : wordsOf(flag), icon: 'link', allows: allows.join(' '), endpoint: endpoints[0].name };
}
