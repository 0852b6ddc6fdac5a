// The credit balance in the header.

import { element } from '../shared/elements.js';

/** @param {import('../shared/api-transport.js').Transport} transport */
export function createCredits(transport) {
  const amount = element('span', { class: 'amount' }, '–');
  const node = element('span', { class: 'credits', title: 'Credits left' }, amount, ' credits');
  async function refresh() {
    try {
      const { balance } = await transport.get('/api/credits', { limit: 1 });
      amount.textContent = balance.toLocaleString(undefined, { maximumFractionDigits: 2 });
    } catch {
      amount.textContent = '–'; // the next request that needs credits shows the reason
    }
  }
  refresh();
  return { node, refresh };
}
