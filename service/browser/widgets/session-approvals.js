// @ts-check
// What the user has allowed until the page closes: a widget and an endpoint at its price. Each can be
// taken back.

import { createListeners } from '../shared/listeners.js';

/**
 * @typedef {import('./host-options.js').Policy} Policy
 * @typedef {{widgetId: string, widgetName: string, endpoint: string, policy: Policy}} SessionApproval
 *   `widgetId` and `widgetName` are '' where the user calls the endpoint
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
    /** @param {SessionApproval} approval with the price that was shown */
    add({ widgetId, widgetName, endpoint, policy }) {
      approvals.set(keyOf({ widgetId, endpoint }), { widgetId, widgetName, endpoint, policy });
      listeners.notify();
    },
    /** @param {Omit<SessionApproval, 'widgetName'>} call with the price that it has now */
    covers(call) {
      const approval = approvals.get(keyOf(call));
      return approval !== undefined && coversPrice(approval.policy, call.policy);
    },
    list: () => [...approvals.values()],
    /** @param {{widgetId: string, endpoint: string}} approval */
    takeBack: (approval) => remove([keyOf(approval)]),
    /** @param {string} widgetId */
    forget: (widgetId) => remove([...approvals].filter(([, one]) => one.widgetId === widgetId).map(([key]) => key)),
  };
}

/**
 * Whether what was agreed to still holds: the price has not risen, and nobody else pays it.
 * @param {Policy} shown @param {Policy} now
 */
export function coversPrice(shown, now) {
  return now.credits <= shown.credits && (now.payer === shown.payer || now.payer === 'owner');
}

/** @param {{widgetId: string, endpoint: string}} approval */
function keyOf({ widgetId, endpoint }) {
  return JSON.stringify([widgetId, endpoint]);
}
