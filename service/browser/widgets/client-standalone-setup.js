// Sets up the session of a standalone widget: finds the server, and the place where the state is stored.

import { storageOf } from '../shared/site-data.js';
import { createStandaloneSession } from './client-standalone.js';
import { openConsent } from './client-consent.js';

/**
 * @typedef {object} StandaloneOptions
 * @property {string} [baseUrl] of the API; by default from `baseUrlOf`
 * @property {() => Promise<string | null> | string | null} [getToken] returns the user's token; called before each request
 * @property {typeof globalThis.fetch} [fetch]
 * @property {import('./client-standalone.js').AskConsent} [consent] used instead of the client's own window and dialog
 */

/** @param {Window} own @param {StandaloneOptions} options */
export function standaloneSession(own, { baseUrl, getToken = () => null, fetch, consent = openConsent }) {
  return createStandaloneSession({
    baseUrl: baseUrl ?? baseUrlOf(own.document),
    getToken,
    fetch,
    consent,
    storage: storageOf(() => own.sessionStorage),
    place: own.location.pathname,
  });
}

/**
 * The address of the API: from the page's `<meta name="api-base">`, or else the origin of this module. It is never taken
 * from the page's own address, because then anybody could create a link that sends the token to another server.
 * @param {Document} document
 */
export function baseUrlOf(document) {
  const stated = document.querySelector('meta[name="api-base"]')?.getAttribute('content');
  const url = stated ? new URL(stated, document.baseURI) : new URL('../..', import.meta.url);
  return url.href.replace(/\/+$/, '');
}
