// Asks before a call that costs credits or changes something, with its price and its body, as the
// host of widgets asks.

import { createApprovalDialog } from '../widgets/approval.js';

/** @typedef {import('./endpoint-search.js').Endpoint} Endpoint */

/**
 * @param {Endpoint} endpoint @param {any} body
 * @param {number | null} balance null if it is not known
 * @returns {Promise<import('./endpoint-call.js').Decision>}
 */
export function requestApproval(endpoint, body, balance) {
  const { name, credits, metered, billing } = endpoint;
  const ask = createApprovalDialog({ balance: () => balance });
  return ask({
    widgetId: '',
    widgetName: '',
    endpoint: name,
    policy: { approval: 'ask', credits, metered, payer: billing === 'user' ? 'user' : 'owner', title: name, known: true },
    text: JSON.stringify(body),
    times: () => 1,
    onTimes: () => {},
    signal: new AbortController().signal,
  });
}
