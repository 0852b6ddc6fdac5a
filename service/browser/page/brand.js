// The name of the page. In the sandbox it has a badge, so that nobody mistakes the page for a real service.

import { element, icon } from '../shared/elements.js';

/** @param {boolean} sandbox */
export function createBrand(sandbox) {
  const title = 'All models and vendors here are simulated. No real one is called.';
  const badge = sandbox && element('span', { class: 'badge', title }, 'sandbox');
  return element('div', { class: 'brand' }, icon('brand'), element('h1', {}, 'Console'), badge);
}
