// The credit balance in the header.

import { element } from '../shared/elements.js';

/** @param {import('../shared/api-transport.js').Transport} transport */
export function createCredits(transport) {
  const amount = element('span', { class: 'amount' }, '–');
  const node = element('span', { class: 'credits', title: 'Credits left' }, amount, ' credits');
  /** @type {number | null} */
  let balance = null;
  async function refresh() {
    try {
      ({ balance } = await transport.get('/api/credits', { limit: 1 }));
      amount.textContent = /** @type {number} */ (balance).toLocaleString(undefined, { maximumFractionDigits: 2 });
    } catch {
      balance = null;
      amount.textContent = '–'; // the next request that needs credits shows the reason
    }
  }
  refresh();
  return { node, refresh, balance: () => balance };
}
