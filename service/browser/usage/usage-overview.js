// The balance, the spending per day, and the spending per model and endpoint, for a range of days.
// @ts-check

import { element } from '../shared/elements.js';
import { createChoiceBar } from '../page/choice-bar.js';
import { numberInWords } from '../shared/number-words.js';
import { quantityWords } from '../calls/value-words.js';
import { timeOfDay } from '../shared/time-format.js';
import { timeZone } from '../page/time-zone.js';
import { createSourceTable } from './source-table.js';
import { createSpendPlot } from './spend-plot.js';
import { creditsInWords } from './spend-scale.js';
import { createProblem } from './usage-problem.js';

const RANGES = { '7 days': 7, '30 days': 30, '90 days': 90 };

/** @param {import('../page/view.js').ViewContext} context */
export function createOverview({ transport, onAccount, announce }) {
  let days = 30;
  let requests = 0; // the number of requests; only the answer to the newest one is used
  /** @type {Date | null} */
  let read = null;
  let shownDays = days; // the range of the numbers on the screen
  const balance = createTile('Balance');
  const held = createTile('On hold', 'Set aside for replies and calls that run');
  const spent = createTile('Spent');
  const calls = createTile('Charged calls', 'Replies and calls that cost credits');
  const left = createTile('Left today', 'Of the credits that you may spend a day, until 00:00 UTC');
  left.node.hidden = true;
  const plot = createSpendPlot();
  const sources = createSourceTable();
  const problem = createProblem(refresh);
  const range = createChoiceBar('Range', Object.keys(RANGES), choose);
  range.node.classList.add('usage-range');
  range.press('30 days');
  const tiles = element('div', { class: 'tiles' }, balance.node, held.node, left.node, spent.node, calls.node);
  const node = element('div', { class: 'usage-part' }, element('div', { class: 'usage-bar' }, range.node), problem.node, tiles, plot.node, sources.node);

  /** @param {string} name */
  function choose(name) {
    days = /** @type {Record<string, number>} */ (RANGES)[name];
    refresh();
  }

  async function refresh() {
    const mine = ++requests;
    const asked = days;
    node.setAttribute('aria-busy', String(asked !== shownDays)); // the numbers on the screen are of another range
    try {
      const [account, spend] = await Promise.all([
        transport.get('/api/credits', { limit: 1 }),
        transport.get('/api/credits/spend', { days: asked, timeZone: timeZone() }),
      ]);
      if (mine === requests) show(account, spend, asked);
    } catch (error) {
      if (mine === requests) fail(error);
    }
  }

  /** Shows an error. Parts that were never read are hidden, because they would look empty. @param {unknown} error */
  function fail(error) {
    node.setAttribute('aria-busy', 'false');
    problem.unread(error, ageInWords());
    plot.node.hidden = sources.node.hidden = read === null;
  }

  /** Says from when the numbers on the screen are, and for how many days if another range is chosen: they stay after an error. */
  function ageInWords() {
    const range = shownDays === days ? '' : `, for ${shownDays} days`;
    return read ? ` The numbers are those of ${timeOfDay(read)}${range}.` : '';
  }

  /** @param {any} account @param {any} spend @param {number} asked the days of the range */
  function show(account, spend, asked) {
    if (asked !== shownDays) announce(`${asked} days: ${creditsInWords(spend.credits)}, ${quantityWords(spend.calls, 'call')}`);
    shownDays = asked;
    node.setAttribute('aria-busy', 'false');
    onAccount(account);
    read = new Date();
    problem.clear();
    plot.node.hidden = sources.node.hidden = false;
    balance.show(account.balance);
    held.show(account.held);
    showBudget(account.budget);
    spent.show(spend.credits);
    calls.show(spend.calls);
    plot.show(spend.days);
    sources.show(spend.sources, spend.credits);
  }

  /** @param {{ credits: number, spent: number, held: number } | undefined} budget */
  function showBudget(budget) {
    left.node.hidden = budget === undefined;
    if (budget) left.show(Math.max(budget.credits - budget.spent - budget.held, 0));
  }

  return { node, refresh, stop: () => {} };
}

/** @param {string} name @param {string} [hint] */
function createTile(name, hint) {
  const value = element('dd', {}, '–');
  const node = element('dl', { class: 'tile', title: hint }, element('dt', {}, name), value);
  /** @param {number} number */
  const show = (number) => void (value.textContent = numberInWords(number));
  return { node, show };
}
