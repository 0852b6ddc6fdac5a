// The name of the page, with a badge in the sandbox so that nobody mistakes it for a real service.

import { element, icon } from '../shared/elements.js';

/** @param {boolean} sandbox */
export function createBrand(sandbox) {
  const title = 'All models and vendors here are simulated. No real one is called.';
  const badge = sandbox && element('span', { class: 'badge', title }, 'sandbox');
  return element('div', { class: 'brand' }, icon('brand'), element('h1', {}, 'Console'), badge);
}
