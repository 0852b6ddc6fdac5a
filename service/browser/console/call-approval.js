// Asks before a call that costs credits or changes something, with its price and its body.

import { requestConfirmation } from './confirm-dialog.js';
import { amount, payerOf, priceOf } from './endpoint-words.js';

/** @typedef {import('./endpoint-search.js').Endpoint} Endpoint */

/**
 * @param {Endpoint} endpoint @param {any} body
 * @param {number | null} balance null if it is not known
 * @returns {Promise<import('./endpoint-call.js').Decision>}
 */
export async function requestApproval(endpoint, body, balance) {
  const left = balance === null || !endpoint.credits ? '' : `You have ${amount(balance)}.`;
  const text = `${[priceOf(endpoint), payerOf(endpoint)].filter(Boolean).join('. ')}. ${left}`;
  const confirmed = await requestConfirmation({ title: `Call ${endpoint.name}?`, text, action: 'Allow once' });
  return confirmed ? 'once' : 'deny';
}
