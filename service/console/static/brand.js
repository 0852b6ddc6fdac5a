// The name of the page, and where it stands: nobody may take a sandbox for the real thing.

import { element, icon } from './elements.js';

/** @param {boolean} sandbox */
export function createBrand(sandbox) {
  const title = 'Every upstream is a stand-in: nothing here reaches a real model or vendor';
  const badge = sandbox && element('span', { class: 'badge', title }, 'sandbox');
  return element('div', { class: 'brand' }, icon('brand'), element('h1', {}, 'Console'), badge);
}
