// The consent of a widget that is alone: the provider's page in a window of its own, and a dialog in
// the widget's page meanwhile, from which the page can be opened if the browser blocked the window.

import { listenForConsents } from '../shared/consent-messages.js';
import { openWindow } from '../shared/consent-opening.js';
import { createSignals, waitForConsent } from '../shared/consent-wait.js';
import { element } from '../shared/elements.js';
import { newId } from '../shared/ids.js';
import { showModal } from '../shared/modal.js';
import { isResult, safeAuthUrl } from '../shared/oauth-answer.js';
import { OAuthRequiredError } from './widget-errors.js';

/** @typedef {import('./client-session.js').Consent} Consent */

const WINDOW_FEATURES = 'popup,width=560,height=720';

/**
 * Call it in a click.
 * @param {import('./client-session.js').Need} need @param {() => Promise<Record<string, any>>} readStatus
 * @param {{words?: string, signal?: AbortSignal}} [asker] `words` say who asks and for what; aborted when nobody needs it any more
 * @returns {Promise<Consent>}
 */
export async function openConsent(need, readStatus, { words = '', signal } = {}) {
  if (!(need instanceof OAuthRequiredError)) throw need; // only the app can disconnect an account
  const address = safeAuthUrl(need.authUrl);
  const popup = openWindow('about:blank', '_blank', WINDOW_FEATURES);
  const signals = createSignals();
  const stop = () => signals.send('stop');
  const close = openDialog(need.provider, address, words, stop);
  signal?.addEventListener('abort', stop);
  const stopListening = listenForConsents((value) => {
    if (isResult(value) && value.integration === need.provider) signals.send(value.outcome);
  });
  try {
    const before = flagsOf(await readStatus(), need.provider); // the page may be over in no time
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
 * A flag that was not set before is the proof: the status has no scopes.
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
  if (ending === 'granted') return 'connected';
  return ending === 'late' ? 'timeout' : 'cancelled';
}

/** @param {Record<string, any>} status @param {string} provider */
function flagsOf(status, provider) {
  return Object.entries(status[provider] ?? {}).flatMap(([flag, value]) => (value === true ? [flag] : []));
}

/** @param {string} provider @param {string} address @param {string} words @param {() => void} onCancel @returns {() => void} closes it */
function openDialog(provider, address, words, onCancel) {
  const id = `consent-${newId()}`; // there may be two
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
