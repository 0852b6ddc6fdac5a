// The credit balance in the header. When it can't be read, the last one stays.

import { numberInWords } from '../shared/number-words.js';
import { element } from '../shared/elements.js';
import { timeOfDay } from '../shared/when.js';

/** @param {import('../shared/api-transport.js').Transport} transport */
export function createCredits(transport) {
  const amount = element('span', { class: 'amount' }, '–');
  const node = element('span', { class: 'credits', title: 'Credits left' }, amount, element('span', { class: 'unit' }, ' credits'));
  /** @type {number | null} */
  let balance = null;
  /** @type {Date | null} */
  let read = null;
  let asked = 0;
  let answered = 0; // the number of the question whose answer is shown
  async function refresh() {
    const mine = (asked += 1);
    try {
      show(await transport.get('/api/credits', { limit: 1 }), mine);
    } catch {
      // The next request that needs credits shows the reason.
      if (read) node.title = `Credits left at ${timeOfDay(read)}`;
    }
  }

  /** @param {{balance: number}} account @param {number} number of the question that it answers */
  function show(account, number) {
    if (number < answered) return;
    answered = number;
    ({ balance } = account);
    amount.textContent = numberInWords(balance);
    read = new Date();
    node.title = 'Credits left';
  }

  refresh();
  return {
    node,
    refresh,
    balance: () => balance,
    /** @param {{balance: number}} account that a view has read just now */
    onAccount: (account) => show(account, (asked += 1)),
  };
}
