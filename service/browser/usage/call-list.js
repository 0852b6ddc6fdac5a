// The list of calls, with a filter and a button that checks running jobs.
// @ts-check

import { arrangeOnly, element, isFocusLost } from '../shared/elements.js';
import { moment } from '../shared/time-format.js';
import { createChoiceBar } from '../page/choice-bar.js';
import { hrefOf } from '../page/route.js';
import { createCallFeed } from './call-feed.js';
import { factsOf, outcomeOf, priceInWords } from './call-words.js';
import { quantityWords } from '../calls/value-words.js';
import { createProblem } from './usage-problem.js';

/** @typedef {import('./call-feed.js').CallRow} CallRow */
/** @typedef {import('./call-feed.js').Filter} Filter */

/** @type {Record<string, Filter>} */
const FILTERS = { All: 'all', Running: 'running', Failed: 'failed' };
const EMPTY = {
  all: 'No endpoint was called in the last 30 days. Try one in the explorer.',
  running: 'No job is running.',
  failed: 'No call has failed in the last 30 days.',
};

/** @param {import('../page/view.js').ViewContext} context */
export function createCallList({ transport, socket, announce }) {
  const feed = createCallFeed({ transport, socket, onChange: render, onProblem: showProblem });
  /** @type {Filter} */
  let filter = 'all';
  let isAwaited = false; // whether the user waits for the calls of another filter
  /** @type {Map<string, {node: HTMLElement, key: string}>} */
  const shown = new Map();
  const problem = createProblem(() => feed.refresh());
  const list = element('ul', { class: 'call-rows', 'aria-label': 'Calls' });
  const empty = element('p', { class: 'usage-empty' });
  const more = element('button', { type: 'button', class: 'quiet usage-more', hidden: true, on: { click: readMore } }, 'Show older calls');
  const bar = createChoiceBar('Which calls', Object.keys(FILTERS), choose);
  bar.node.classList.add('usage-range');
  const lead = element('p', { class: 'hint' }, 'Calls are kept for 30 days.');
  const node = element('div', { class: 'usage-part' }, element('div', { class: 'usage-bar' }, bar.node, lead), problem.node, element('section', { class: 'usage-box', 'aria-label': 'Calls of endpoints' }, list, empty), more);

  /** Loads the next page. If the button is then hidden, the focus moves to the first new row. */
  async function readMore() {
    const before = feed.rows.length;
    await feed.more();
    if (more.hidden && isFocusLost()) list.children[before]?.querySelector('a')?.focus();
  }

  /** @param {string} name */
  function choose(name) {
    filter = FILTERS[name];
    isAwaited = true;
    feed.choose(filter);
  }

  /** @param {unknown} error null for none */
  function showProblem(error) {
    if (error) problem.unread(error);
    else problem.clear();
    render();
  }

  function render() {
    const rows = feed.rows;
    arrangeOnly(list, rows.map(nodeOf));
    empty.textContent = feed.loaded ? EMPTY[filter] : 'Loading…';
    empty.hidden = rows.length > 0 || (problem.isOpen && !feed.loaded);
    list.hidden = rows.length === 0;
    more.hidden = !feed.hasMore;
    if (isAwaited && feed.loaded) announceCount(rows.length);
  }

  /** @param {number} number */
  function announceCount(number) {
    isAwaited = false;
    announce(number ? `${quantityWords(number, 'call')}${feed.hasMore ? ', and older ones' : ''}` : EMPTY[filter]);
  }

  /** @param {CallRow} row @returns {HTMLElement} the same node until the row changes, so that the node keeps the focus */
  function nodeOf(row) {
    const key = JSON.stringify(row.data);
    const known = shown.get(row.recordId);
    if (known?.key === key) return known.node;
    const made = { node: createRow(row, check), key };
    shown.set(row.recordId, made);
    if (known) known.node.replaceWith(made.node);
    return made.node;
  }

  /** @param {CallRow} row */
  async function check(row) {
    problem.clear();
    try {
      await feed.check(row);
    } catch (error) {
      problem.failed(error);
    }
    const now = feed.rows.find(({ recordId }) => recordId === row.recordId);
    announce(`${row.data.endpoint}: ${now ? outcomeOf(now.data).word : 'ended'}`);
  }

  render();
  return { node, refresh: feed.refresh, stop: feed.stop };
}

/** @param {CallRow} row @param {(row: CallRow) => void} check */
function createRow(row, check) {
  const { data, createdAt } = row;
  const { word, tone, reason } = outcomeOf(data);
  const look = data.status === 'accepted' && data.jobId && element('button', { type: 'button', class: 'quiet', 'aria-label': `Check the job of ${data.endpoint}`, on: { click: () => check(row) } }, 'Check now');
  return element(
    'li',
    { class: 'call-row' },
    element('span', { class: 'call-line' }, element('a', { class: 'call-endpoint', href: hrefOf('explorer', data.endpoint) }, data.endpoint), element('span', { class: 'outcome', data: { tone } }, word), look),
    element('span', { class: 'call-price' }, priceInWords(data)),
    element('span', { class: 'call-facts-line' }, reason && element('span', { class: 'call-reason' }, reason), ...factsOf(data).map((fact) => element('span', {}, fact))),
    element('time', { datetime: createdAt }, moment(createdAt)),
  );
}
