// @ts-check
// The approvals that hold until the page is closed, each for a widget and an endpoint at its price. The user can revoke
// each of them.

import { createListeners } from '../shared/listeners.js';

/**
 * @typedef {import('./host-options.js').Policy} Policy
 * @typedef {{widgetId: string, widgetName: string, endpoint: string, policy: Policy}} SessionApproval
 *   `widgetId` and `widgetName` are '' if the user calls the endpoint without a widget
 * @typedef {ReturnType<typeof createSessionApprovals>} SessionApprovals
 */

export function createSessionApprovals() {
  const listeners = createListeners();
  /** @type {Map<string, SessionApproval>} in the order in which they were given */
  const approvals = new Map();

  /** @param {string[]} keys */
  function remove(keys) {
    const removed = keys.filter((key) => approvals.delete(key));
    if (removed.length) listeners.notify();
  }

  return {
    onChange: listeners.add,
    /** @param {SessionApproval} approval with the price that the user saw */
    add({ widgetId, widgetName, endpoint, policy }) {
      approvals.set(keyOf({ widgetId, endpoint }), { widgetId, widgetName, endpoint, policy });
      listeners.notify();
    },
    /** @param {Omit<SessionApproval, 'widgetName'>} call with its current price */
    covers(call) {
      const approval = approvals.get(keyOf(call));
      return approval !== undefined && coversPrice(approval.policy, call.policy);
    },
    list: () => [...approvals.values()],
    /** @param {{widgetId: string, endpoint: string}} approval */
    revoke: (approval) => remove([keyOf(approval)]),
    /** @param {string} widgetId */
    forget: (widgetId) => remove([...approvals].filter(([, one]) => one.widgetId === widgetId).map(([key]) => key)),
  };
}

/**
 * Whether an approval still holds: the price has not risen, and the payer is the same.
 * @param {Policy} shown @param {Policy} now
 */
export function coversPrice(shown, now) {
  return now.credits <= shown.credits && (now.payer === shown.payer || now.payer === 'owner');
}

/** @param {{widgetId: string, endpoint: string}} approval */
function keyOf({ widgetId, endpoint }) {
  return JSON.stringify([widgetId, endpoint]);
}
