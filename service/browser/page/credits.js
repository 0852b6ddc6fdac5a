// The credit balance in the header. If the balance can't be read, the last known one stays.

import { numberInWords, unitOf } from '../shared/number-words.js';
import { element } from '../shared/elements.js';
import { timeOfDay } from '../shared/time-format.js';

/** @param {import('../shared/api-transport.js').Transport} transport */
export function createCredits(transport) {
  const amount = element('span', { class: 'amount' }, '–');
  const unit = element('span', { class: 'unit' }, ' credits');
  const node = element('span', { class: 'credits', title: 'Credits left' }, amount, unit);
  /** @type {number | null} */
  let balance = null;
  /** @type {Date | null} */
  let read = null;
  let lastRequest = 0;
  let shownRequest = 0; // the number of the request whose answer is shown
  async function refresh() {
    const mine = (lastRequest += 1);
    try {
      show(await transport.get('/api/credits', { limit: 1 }), mine);
    } catch {
      // The next request that needs credits shows the reason.
      if (read) node.title = `Credits left at ${timeOfDay(read)}`;
    }
  }

  /** @param {{balance: number}} account @param {number} number of the request */
  function show(account, number) {
    if (number < shownRequest) return;
    shownRequest = number;
    ({ balance } = account);
    amount.textContent = numberInWords(balance);
    unit.textContent = ` ${unitOf(amount.textContent)}`;
    read = new Date();
    node.title = 'Credits left';
  }

  return {
    node,
    refresh,
    balance: () => balance,
    /** @param {{balance: number}} account which a view has just read */
    onAccount: (account) => show(account, (lastRequest += 1)),
  };
}
