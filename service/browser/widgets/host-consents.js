// @ts-check
// The consents that answers have requested. A widget refers to a consent by its id; the host opens the address that it
// has received itself.

import { ApiError } from '../shared/errors.js';
import { newId } from '../shared/ids.js';
import { consentNeeded, isRefreshFailure } from '../shared/oauth-answer.js';

const MOST = 64; // consents of one widget; the oldest are dropped

/**
 * @typedef {object} ConsentNeed
 * @property {string} widgetId
 * @property {string} endpoint
 * @property {string} provider
 * @property {string[]} scopes
 * @property {string} [authUrl] absent if the account must be reconnected
 * @property {boolean} renew whether to disconnect first, because the tokens can't be refreshed
 * @property {string} [widgetName]
 * @property {AbortSignal} [signal] aborted when the widget's document was unloaded
 */

export function createConsentNeeds() {
  /** @type {Map<string, {byId: Map<string, ConsentNeed>, gone: AbortController}>} by widget */
  const needs = new Map();

  /** @param {ConsentNeed} need @returns {string} */
  function add(need) {
    const own = needs.get(need.widgetId) ?? { byId: new Map(), gone: new AbortController() };
    needs.set(need.widgetId, own);
    const id = newId();
    own.byId.set(id, { ...need, signal: own.gone.signal });
    if (own.byId.size > MOST) own.byId.delete(/** @type {string} */ (own.byId.keys().next().value));
    return id;
  }

  return {
    /**
     * @param {{widgetId: string, endpoint: string, integration?: string}} call
     * @param {any} envelope @param {number} [httpStatus]
     * @returns {string | null} the id of the consent that the answer requests, if any
     */
    note({ widgetId, endpoint, integration = '' }, envelope, httpStatus = 200) {
      const needed = envelope.success ? consentNeeded(envelope) : null;
      if (needed) {
        const { provider, scopes, authUrl } = needed;
        return add({ widgetId, endpoint, provider, scopes, authUrl, renew: false });
      }
      if (!isRefreshFailure(new ApiError(httpStatus, envelope))) return null;
      return add({ widgetId, endpoint, provider: integration, scopes: [], renew: true });
    },
    /** @param {string} widgetId @param {string} consentId */
    of: (widgetId, consentId) => needs.get(widgetId)?.byId.get(consentId) ?? null,
    /** Aborts and removes the consents of a widget. @param {string} widgetId */
    forget(widgetId) {
      needs.get(widgetId)?.gone.abort();
      needs.delete(widgetId);
    },
  };
}
