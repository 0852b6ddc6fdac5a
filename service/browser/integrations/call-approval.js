// Asks for approval before a call that costs credits or changes something. The dialog shows the price and the body, and
// is the same as for calls of widgets.

import { createApprovalDialog } from '../widgets/approval.js';

/** @typedef {import('./endpoint-search.js').Endpoint} Endpoint */

/**
 * @param {Endpoint} endpoint with the price of this call @param {any} body
 * @param {number | null} balance null if it is not known
 * @returns {Promise<import('./endpoint-call.js').Decision>}
 */
export function requestApproval(endpoint, body, balance) {
  const ask = createApprovalDialog({ balance: () => balance });
  return ask({
    ...ownCall(endpoint),
    text: JSON.stringify(body),
    times: () => 1,
    onTimes: () => {},
    signal: new AbortController().signal,
  });
}

/**
 * Describes a call that the user makes without a widget.
 * @param {Endpoint} endpoint with the price of this call
 * @returns {import('../widgets/session-approvals.js').SessionApproval}
 */
export function ownCall({ name, credits, metered, billing }) {
  const payer = billing === 'user' ? 'user' : 'owner';
  const policy = { approval: /** @type {const} */ ('ask'), credits, metered, payer, title: name, known: true };
  return { widgetId: '', widgetName: '', endpoint: name, policy: /** @type {any} */ (policy) };
}
