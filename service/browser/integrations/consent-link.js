// The link that is shown if the browser has blocked the window of a consent.

import { element } from '../shared/elements.js';

/** The page of the provider gets no link to this page: it could use the link to navigate this page. @param {string} url @returns {HTMLElement} */
export function createConsentLink(url) {
  return element('a', { href: url, target: '_blank', rel: 'noreferrer' }, 'Open the consent page');
}
