// @ts-check
// Gets the user's approval for each call of one widget, with the price of this call.

import { TYPES } from './messages.js';
import { coversPrice } from './session-approvals.js';

/**
 * @typedef {import('./host-options.js').Policy} Policy
 * @typedef {import('./host-approvals.js').Approval} Approval
 */

/**
 * @param {object} options
 * @param {import('./host-options.js').CanvasWidget} options.widget
 * @param {(endpoint: string) => Policy} options.policyOf
 * @param {import('./host-options.js').HostOptions['price']} options.price
 * @param {ReturnType<typeof import('./host-approvals.js').createApprovals>} options.approvals
 * @param {(message: any) => void} options.send sends over the widget's current port
 * @param {(event: any) => void} options.onEvent
 */
export function createCallApproval({ widget, policyOf, price, approvals, send, onEvent }) {
  /** Whether the price of a call depends on its body. @param {Policy} policy @param {any} request */
  function isPriced({ approval, metered }, { method }) {
    return approval === 'ask' && metered && method !== 'GET' && price !== undefined;
  }

  /** @param {any} request @param {string} text @param {AbortSignal} signal */
  function priceOf({ endpoint }, text, signal) {
    return /** @type {NonNullable<typeof price>} */ (price)(endpoint, text, signal);
  }

  /** @param {any} request @param {Policy} policy @param {string} text @param {AbortSignal} signal @returns {Promise<Approval>} */
  async function decide({ requestId, endpoint }, policy, text, signal) {
    if (policy.approval !== 'auto') send({ type: TYPES.apiStatus, requestId, status: 'awaiting_approval' });
    const { id: widgetId, templateName: widgetName } = widget;
    const approval = await approvals.decide({ widgetId, widgetName, endpoint, policy, text, signal });
    onEvent({ type: 'approval', widgetId, endpoint, approval, credits: policy.credits });
    return signal.aborted ? 'deny' : approval;
  }

  /**
   * If the price has risen meanwhile, the user is asked again.
   * @param {any} request @param {string} text the arguments as JSON @param {AbortSignal} signal
   * @returns {Promise<{approval: Approval, policy: Policy}>}
   */
  return async (request, text, signal) => {
    for (;;) {
      const known = policyOf(request.endpoint);
      const policy = isPriced(known, request) ? { ...known, credits: await priceOf(request, text, signal) } : known;
      const approval = await decide(request, policy, text, signal);
      if (approval === 'deny' || stillHolds(known, policyOf(request.endpoint))) return { approval, policy };
    }
  };
}

/** @param {Policy} shown @param {Policy} now */
function stillHolds(shown, now) {
  return coversPrice(shown, now) && (shown.approval === 'ask' || now.approval === 'auto');
}
