// @ts-check
// The consents that answers have asked for. A widget names one by its id; the address that is opened
// is the one that the host itself has received.

import { ApiError } from '../shared/errors.js';
import { newId } from '../shared/ids.js';
import { consentNeeded, isRefreshFailure } from '../shared/oauth-answer.js';

const MOST = 64; // of one widget; the oldest are forgotten

/**
 * @typedef {object} ConsentNeed
 * @property {string} widgetId
 * @property {string} endpoint
 * @property {string} provider
 * @property {string[]} scopes
 * @property {string} [authUrl] absent where the connection has to be made anew
 * @property {boolean} renew disconnect first: the tokens can't be refreshed
 * @property {string} [widgetName]
 * @property {AbortSignal} [signal] aborted when the widget's document is gone
 */

export function createNeeds() {
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
     * @returns {string | null} the id of the consent that it asks for
     */
    note({ widgetId, endpoint, integration = '' }, envelope, httpStatus = 200) {
      const asked = envelope.success ? consentNeeded(envelope) : null;
      if (asked) {
        const { provider, scopes, authUrl } = asked;
        return add({ widgetId, endpoint, provider, scopes, authUrl, renew: false });
      }
      if (!isRefreshFailure(new ApiError(httpStatus, envelope))) return null;
      return add({ widgetId, endpoint, provider: integration, scopes: [], renew: true });
    },
    /** @param {string} widgetId @param {string} consentId */
    of: (widgetId, consentId) => needs.get(widgetId)?.byId.get(consentId) ?? null,
    /** Ends what is asked for. @param {string} widgetId */
    forget(widgetId) {
      needs.get(widgetId)?.gone.abort();
      needs.delete(widgetId);
    },
  };
}
