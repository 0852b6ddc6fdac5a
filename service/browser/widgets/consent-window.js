// @ts-check
// Requests the consents that widgets need: the host opens the provider's page, and shows a dialog meanwhile. Call the
// function while the message from the widget's click is handled: browsers allow a new window only then.

import { element } from '../shared/elements.js';
import { showModal } from '../shared/modal.js';
import { consentNeeded } from '../shared/oauth-answer.js';
import { openConsent } from './client-consent.js';
import { OAuthRequiredError } from './widget-errors.js';

/**
 * @typedef {import('./host-options.js').ConsentNeed} ConsentNeed
 * @typedef {{status: 'connected' | 'timeout' | 'cancelled'}} Consent
 */

/**
 * @param {import('../shared/api-transport.js').Transport} transport
 * @returns {(need: ConsentNeed) => Promise<Consent>} handles one consent at a time, and refuses others meanwhile
 */
export function createConsentWindow(transport) {
  let isOpen = false;
  const readStatus = () => transport.get('/api/integrations/status');

  /** @param {ConsentNeed} need @returns {Promise<Consent>} */
  async function renew(need) {
    const { provider, endpoint, signal } = need;
    if (!(await confirmRenewal(need)) || signal?.aborted) return { status: 'cancelled' };
    await transport.delete(`/api/integrations/oauth/${encodeURIComponent(provider)}/disconnect`);
    // Without tokens, the service returns the address of the consent page before it checks the body.
    const needed = consentNeeded(await transport.post(`/api/integrations/${endpoint}`, {}));
    return needed ? openConsent(new OAuthRequiredError(needed, {}), readStatus, { words: askerOf(need), signal }) : { status: 'connected' };
  }

  /** @param {ConsentNeed} need @returns {Promise<Consent>} */
  function open(need) {
    if (need.renew) return renew(need);
    const { provider, scopes, authUrl = '', signal } = need;
    const required = new OAuthRequiredError({ requiresOAuth: true, provider, scopes, authUrl }, {});
    return openConsent(required, readStatus, { words: askerOf(need), signal });
  }

  return async (need) => {
    if (isOpen) return { status: 'cancelled' };
    isOpen = true;
    try {
      return await open(need);
    } finally {
      isOpen = false;
    }
  };
}

/** Says which widget asks, and for what, because many widgets may need the same account. @param {ConsentNeed} need */
function askerOf({ widgetName, endpoint, scopes }) {
  if (!widgetName) return '';
  const permissions = scopes.length ? ` The permission: ${scopes.join(', ')}.` : '';
  return `The widget “${widgetName}” asks for it, to call ${endpoint}.${permissions}`;
}

/**
 * Asks the user to reconnect an account whose tokens can't be refreshed: it is disconnected and connected again.
 * @param {ConsentNeed} need @returns {Promise<boolean>}
 */
function confirmRenewal(need) {
  const { provider, signal } = need;
  return new Promise((resolve) => {
    const button = (/** @type {string} */ label, /** @type {string} */ kind, /** @type {string} */ value) =>
      element('button', { type: 'button', class: kind, on: { click: () => dialog.close(value) } }, label);
    const text = 'The connection has expired. It is removed, and you are asked for every permission anew.';
    const dialog = element(
      'dialog',
      { 'aria-labelledby': 'renewal-title', 'aria-describedby': 'renewal-text' },
      element('h2', { id: 'renewal-title' }, `Reconnect your ${provider} account?`),
      element('p', { id: 'renewal-text' }, text),
      element('p', {}, askerOf(need)),
      element('div', { class: 'dialog-actions' }, button('Cancel', 'quiet', 'no'), button('Reconnect', 'primary', 'yes')),
    );
    const end = () => dialog.close('no');
    signal?.addEventListener('abort', end);
    dialog.addEventListener('close', () => {
      signal?.removeEventListener('abort', end);
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    showModal(dialog);
  });
}
