// How a widget that is alone finds the server, and where it keeps its state.

import { createStandaloneSession } from './client-standalone.js';
import { openConsent } from './client-consent.js';

/**
 * @typedef {object} AloneOptions
 * @property {string} [baseUrl] of the API; by default as below
 * @property {() => Promise<string | null> | string | null} [getToken] the user's token, asked for before each request
 * @property {typeof globalThis.fetch} [fetch]
 * @property {import('./client-standalone.js').AskConsent} [consent] in the place of a window of its own
 */

/** @param {Window} own @param {AloneOptions} options */
export function aloneSession(own, { baseUrl, getToken = () => null, fetch, consent = openConsent }) {
  return createStandaloneSession({
    baseUrl: baseUrl ?? baseUrlOf(own.document),
    getToken,
    fetch,
    consent,
    storage: own.sessionStorage,
    place: own.location.pathname,
  });
}

/**
 * From the page's `<meta name="api-base">`, else where this module came from. Never from the page's
 * own address: whoever writes a link would get the token.
 * @param {Document} document
 */
export function baseUrlOf(document) {
  const stated = document.querySelector('meta[name="api-base"]')?.getAttribute('content');
  const url = stated ? new URL(stated, document.baseURI) : new URL('../..', import.meta.url);
  return url.href.replace(/\/+$/, '');
}
