// Requests a consent for a standalone widget: opens the provider's page in a new window, and shows a dialog in the
// widget's page meanwhile. From the dialog, the user can open the provider's page if the browser has blocked the window.

import { listenForConsents } from '../shared/consent-messages.js';
import { openWindow } from '../shared/consent-opening.js';
import { createSignals, waitForConsent } from '../shared/consent-wait.js';
import { element } from '../shared/elements.js';
import { newId } from '../shared/ids.js';
import { showModal } from '../shared/modal.js';
import { isResult, isResultOf, safeAuthUrl } from '../shared/oauth-answer.js';
import { OAuthRequiredError } from './widget-errors.js';

/** @typedef {import('./client-session.js').Consent} Consent */

const WINDOW_FEATURES = 'popup,width=560,height=720';

/**
 * Call this in a click handler.
 * @param {import('./client-session.js').Need} need @param {() => Promise<Record<string, any>>} readStatus
 * @param {{words?: string, signal?: AbortSignal}} [asker] `words` say who asks and for what; `signal` is aborted when the consent is no longer needed
 * @returns {Promise<Consent>}
 */
export async function openConsent(need, readStatus, { words = '', signal } = {}) {
  if (!(need instanceof OAuthRequiredError)) throw need; // only the app can disconnect an account
  const address = safeAuthUrl(need.authUrl);
  if (signal?.aborted) return { status: 'cancelled' };
  const popup = openWindow('about:blank', '_blank', WINDOW_FEATURES);
  const signals = createSignals();
  const stop = () => signals.send('stop');
  const close = openDialog(need.provider, address, words, stop);
  signal?.addEventListener('abort', stop);
  const stopListening = listenForConsents((value) => {
    if (isResult(value) && value.integration === need.provider && isResultOf(value, address)) signals.send(value.outcome);
  });
  try {
    const before = flagsOf(await readStatus(), need.provider); // read before the provider's page is opened, because the user may finish there very quickly
    popup?.location.replace(address);
    const readGranted = async () => flagsOf(await readStatus(), need.provider).some((flag) => !before.includes(flag));
    return { status: await outcome(readGranted, signals) };
  } finally {
    stopListening();
    signal?.removeEventListener('abort', stop);
    close();
    popup?.close();
  }
}

/**
 * Waits for the consent. A flag that was not set before proves the consent, because the status has no scopes. The report of
 * the last page counts even without a new flag: a permission may have no flag, or the provider may have revoked it while
 * its flag was set. If the permission is still missing, the call that needs it requests it again.
 * @param {() => Promise<boolean>} readGranted
 * @param {ReturnType<typeof createSignals>} signals
 * @returns {Promise<Consent['status']>}
 */
async function outcome(readGranted, signals) {
  const ending = await waitForConsent({
    readGranted,
    grantedBefore: false,
    signals,
    onStage: () => {},
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    now: () => performance.now(),
  });
  if (ending === 'granted' || ending === 'unticked') return 'connected';
  return ending === 'late' ? 'timeout' : 'cancelled';
}

/** @param {Record<string, any>} status @param {string} provider */
function flagsOf(status, provider) {
  return Object.entries(status[provider] ?? {}).flatMap(([flag, value]) => (value === true ? [flag] : []));
}

/** @param {string} provider @param {string} address @param {string} words @param {() => void} onCancel @returns {() => void} closes the dialog */
function openDialog(provider, address, words, onCancel) {
  const id = `consent-${newId()}`; // unique, because two dialogs may be open
  const link = { href: address, target: '_blank', rel: 'noreferrer' };
  const dialog = element(
    'dialog',
    { 'aria-labelledby': id, on: { cancel: onCancel } },
    element('h2', { id }, `Connect your ${provider} account`),
    words && element('p', {}, words),
    element('p', {}, 'Allow it in the other window. ', element('a', link, 'Open the page'), ' if there is none.'),
    element('div', { class: 'dialog-actions' }, element('button', { type: 'button', class: 'quiet', on: { click: onCancel } }, 'Cancel')),
  );
  document.body.append(dialog);
  showModal(dialog);
  return () => {
    dialog.close();
    dialog.remove();
  };
}
