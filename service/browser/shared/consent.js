// Requests a user's consent: opens a window with the provider's page and waits for the outcome.

import { isGranted } from './connections.js';
import { createSignals, waitForConsent } from './consent-wait.js';
import { openWindow } from './consent-opening.js';
import { consentNeeded, isAboutTheBody, isResult, isResultOf, safeAuthUrl } from './oauth-answer.js';

/**
 * @typedef {import('./connections.js').Permission} Permission
 * @typedef {import('./consent-wait.js').Ending} Ending
 *
 * The stages that are shown to the user. With 'blocked' comes the address, which is shown as a link.
 * @typedef {'requesting' | 'waiting' | 'blocked' | 'unconfirmed' | 'closed'} Stage
 *
 * @typedef {object} Environment the browser functions, replaced in tests
 * @property {(url: string, target: string, features: string) => Window | null} open
 * @property {(milliseconds: number) => Promise<void>} sleep
 * @property {() => number} now
 */

const WINDOW_FEATURES = 'popup,width=560,height=720';
const CLOSED_CHECK = 500; // ms between two checks whether the window is still open
// No endpoint has this parameter: if the permission was granted meanwhile, the request is refused and nothing is done.
const NOTHING_TO_DO = { $consent: true };

/** @type {Environment} */
const BROWSER = {
  open: openWindow,
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  now: () => performance.now(),
};

/**
 * Requests one consent at a time: a second request closes the window of the first.
 * @param {object} options
 * @param {import('./api-transport.js').Transport} options.transport
 * @param {import('./connections.js').Connections} options.connections
 * @param {Environment} [options.environment]
 */
export function createConsents({ transport, connections, environment = BROWSER }) {
  /** @type {{name: string, address: string, popup: Window | null, signals: ReturnType<typeof createSignals>} | null} */
  let current = null;

  /**
   * Call this in the click handler: browsers allow a new window only there.
   * @param {string} name of the integration
   * @param {Permission} permission
   * @param {{renew: boolean, onStage: (stage: Stage, url?: string) => void}} options with `renew`, the
   *   account is disconnected first, because its token can't be refreshed any more
   * @returns {Promise<Ending>}
   */
  async function request(name, permission, { renew, onStage }) {
    stop();
    const popup = environment.open('about:blank', '_blank', WINDOW_FEATURES);
    const signals = createSignals();
    const own = (current = { name, address: '', popup, signals });
    try {
      onStage('requesting');
      const grantedBefore = !renew && isGranted(permission, connections.of(name));
      if (renew) await connections.disconnect(name);
      const address = await consentAddress(permission.endpoint);
      if (current !== own) return 'stopped';
      if (!address) return await alreadyGranted(name, permission, popup);
      own.address = address;
      show(popup, address, onStage);
      const readGranted = () => readPermission(name, permission);
      const { now } = environment;
      const sleep = sleepWatching(own);
      const ending = await waitForConsent({ readGranted, grantedBefore, signals, onStage, sleep, now });
      if (ending === 'granted') popup?.close(); // in case the window can't close itself
      return ending;
    } catch (error) {
      popup?.close();
      throw error;
    } finally {
      if (current === own) current = null;
    }
  }

  /** @param {string} endpoint @returns {Promise<string | null>} null if no consent is needed */
  async function consentAddress(endpoint) {
    try {
      const needed = consentNeeded(await transport.post(`/api/integrations/${endpoint}`, NOTHING_TO_DO));
      return needed && safeAuthUrl(needed.authUrl);
    } catch (error) {
      if (isAboutTheBody(error)) return null;
      throw error;
    }
  }

  /** @param {string} name @param {Permission} permission @param {Window | null} popup @returns {Promise<Ending>} */
  async function alreadyGranted(name, permission, popup) {
    popup?.close();
    await connections.refresh();
    return isGranted(permission, connections.of(name)) ? 'granted' : 'unticked';
  }

  /** @param {string} name @param {Permission} permission @returns {Promise<boolean>} throws if the status can't be read */
  async function readPermission(name, permission) {
    await connections.refresh();
    if (connections.problem) throw new Error(connections.problem);
    return isGranted(permission, connections.of(name));
  }

  /** Returns a `sleep` that also checks whether the window was closed, and signals this once. */
  function sleepWatching(/** @type {NonNullable<typeof current>} */ { popup, signals }) {
    let open = popup !== null && !popup.closed;
    return async (/** @type {number} */ milliseconds) => {
      const end = environment.now() + milliseconds;
      while (environment.now() < end) {
        await environment.sleep(Math.min(CLOSED_CHECK, end - environment.now()));
        if (!open || !popup?.closed) continue;
        open = false;
        signals.send('closed');
      }
    };
  }

  function stop() {
    current?.signals.send('stop');
    current?.popup?.close();
    current = null;
  }

  return {
    request,
    stop,
    /** Takes a message. It may come from a page that is not a consent page of this service. @param {unknown} value */
    receive(value) {
      if (!isResult(value)) return;
      const address = current?.name === value.integration && current.address; // empty before the page is shown
      if (current && address && isResultOf(value, address)) current.signals.send(value.outcome);
      else connections.refresh();
    },
  };
}

/** @param {Window | null} popup @param {string} address @param {(stage: Stage, url?: string) => void} onStage */
function show(popup, address, onStage) {
  if (!popup || popup.closed) return onStage('blocked', address);
  popup.location.replace(address);
  onStage('waiting');
}
