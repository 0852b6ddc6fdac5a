// The way to a user's consent: a window, the provider's page in it, and what comes of it.

import { createNews, waitForConsent } from './consent-wait.js';
import { isGranted } from './integrations.js';
import { consentNeeded, isAboutTheBody, isResult, safeAuthUrl } from './oauth-answer.js';

/**
 * @typedef {import('./integrations.js').Card} Card
 * @typedef {import('./consent-wait.js').Ending} Ending
 *
 * What the user is told on the way. 'blocked' comes with the address, for a link.
 * @typedef {'asking' | 'waiting' | 'blocked' | 'unconfirmed' | 'closed'} Stage
 *
 * @typedef {object} Surroundings the window, or what stands for it in a test
 * @property {(url: string, target: string, features: string) => Window | null} open
 * @property {(milliseconds: number) => Promise<void>} sleep
 * @property {() => number} now
 */

const LOOK = 'popup,width=560,height=720';
const GLANCE = 500; // ms between two looks at whether the window is still there

/** @type {Surroundings} */
const HERE = {
  open: (...given) => window.open(...given),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  now: () => performance.now(),
};

/**
 * One consent at a time: a second one closes the window of the first.
 * @param {object} options
 * @param {import('./api-transport.js').Transport} options.transport
 * @param {import('./connections.js').Connections} options.connections
 * @param {Surroundings} [options.here]
 */
export function createConsents({ transport, connections, here = HERE }) {
  /** @type {{name: string, popup: Window | null, news: ReturnType<typeof createNews>} | null} */
  let current = null;

  /**
   * Call it in the click itself: only then may a window be opened.
   * @param {string} name of the integration
   * @param {Card} card
   * @param {{renew: boolean, tell: (stage: Stage, url?: string) => void}} options `renew` forgets
   *   the tokens first, for those that can't be refreshed
   * @returns {Promise<Ending>}
   */
  async function ask(name, card, { renew, tell }) {
    stop();
    const popup = here.open('about:blank', '_blank', LOOK);
    const news = createNews();
    const mine = (current = { name, popup, news });
    try {
      tell('asking');
      const lit = !renew && isGranted(card, connections.of(name));
      if (renew) await connections.disconnect(name);
      const address = await consentAddress(card.endpoint);
      if (current !== mine) return 'stopped';
      if (!address) return await alreadyGranted(name, card, popup);
      show(popup, address, tell);
      const granted = () => connections.refresh().then(() => isGranted(card, connections.of(name)));
      const ending = await waitForConsent({ granted, lit, news, tell, sleep: watching(mine), now: here.now });
      if (ending === 'granted') popup?.close(); // where it can't close itself
      return ending;
    } catch (error) {
      popup?.close();
      throw error;
    } finally {
      if (current === mine) current = null;
    }
  }

  /** @param {string} endpoint @returns {Promise<string | null>} null when nothing more is needed */
  async function consentAddress(endpoint) {
    try {
      const needed = consentNeeded(await transport.post(`/api/integrations/${endpoint}`, {}));
      return needed && safeAuthUrl(needed.authUrl);
    } catch (error) {
      if (isAboutTheBody(error)) return null;
      throw error;
    }
  }

  /** @param {string} name @param {Card} card @param {Window | null} popup @returns {Promise<Ending>} */
  async function alreadyGranted(name, card, popup) {
    popup?.close();
    await connections.refresh();
    return isGranted(card, connections.of(name)) ? 'granted' : 'unticked';
  }

  /** Sleeps, and looks now and then whether the window has gone: told once. */
  function watching(/** @type {NonNullable<typeof current>} */ { popup, news }) {
    let seen = popup !== null && !popup.closed;
    return async (/** @type {number} */ milliseconds) => {
      const end = here.now() + milliseconds;
      while (here.now() < end) {
        await here.sleep(Math.min(GLANCE, end - here.now()));
        if (!seen || !popup?.closed) continue;
        seen = false;
        news.tell('closed');
      }
    };
  }

  function stop() {
    current?.news.tell('stop');
    current?.popup?.close();
    current = null;
  }

  return {
    ask,
    stop,
    /** A message from somewhere: a consent page of ours, or not. @param {unknown} value */
    hear(value) {
      if (!isResult(value)) return;
      if (current?.name === value.integration) current.news.tell(value.outcome);
      else connections.refresh();
    },
  };
}

/** @param {Window | null} popup @param {string} address @param {(stage: Stage, url?: string) => void} tell */
function show(popup, address, tell) {
  if (!popup || popup.closed) return tell('blocked', address);
  popup.location.replace(address);
  tell('waiting');
}
