// The entries of the user's account, newest first, in pages and as a CSV file.
// @ts-check

import { arrangeOnly, element, isFocusLost, isOff, setOff } from '../shared/elements.js';
import { formatNumber } from '../shared/number-words.js';
import { moment } from '../shared/time-format.js';
import { hrefOf } from '../page/route.js';
import { saveFile } from '../page/save-file.js';
import { createPagedEntries } from './paged-entries.js';
import { csvOf, noteOf, signedNumber, titleOf } from './statement-words.js';
import { createProblem } from './usage-problem.js';

/** @typedef {import('./statement-words.js').Entry} Entry */

const FILE_PAGE = 200;
const FILE_PAGES = 100; // 20 000 entries
const LEAD = 'Charges are negative.';
const EMPTY = 'There are no entries yet.';

/** @param {import('../page/view.js').ViewContext} context */
export function createStatement({ transport, announce }) {
  /** @type {import('./paged-entries.js').PagedEntries<Entry>} */
  const entries = createPagedEntries({
    read: (page) => transport.get('/api/credits', page),
    onRead: show,
    onProblem,
  });
  const problem = createProblem(entries.refresh);
  /** @type {Map<string, HTMLElement>} by entry: an entry never changes, so its row keeps the focus */
  const known = new Map();
  const rows = element('tbody', {});
  const names = ['Entry', 'Credits'].map((name) => element('th', { scope: 'col' }, name));
  const table = element('table', {}, element('caption', { class: 'visually-hidden' }, 'Entries of your account'), element('thead', {}, element('tr', {}, ...names)), rows);
  const empty = element('p', { class: 'usage-empty' }, 'Loading…');
  const more = element('button', { type: 'button', class: 'quiet usage-more', on: { click: readMore } }, 'Show older entries');
  const save = element('button', { type: 'button', class: 'quiet', on: { click: download } }, 'Export CSV');
  const lead = element('p', { class: 'hint' }, LEAD);
  const node = element('div', { class: 'usage-part' }, element('div', { class: 'usage-bar' }, lead, save), problem.node, element('section', { class: 'usage-box', 'aria-label': 'Statement' }, element('div', { class: 'usage-table' }, table), empty), more);
  more.hidden = true;

  function show() {
    problem.clear();
    arrangeOnly(rows, entries.list.map(rowOf));
    more.hidden = !entries.hasMore;
    empty.textContent = EMPTY;
    empty.hidden = entries.list.length > 0;
  }

  /** @param {unknown} error */
  function onProblem(error) {
    problem.unread(error);
    empty.hidden = true;
  }

  /** @param {Entry} entry */
  function rowOf(entry) {
    const row = known.get(entry.entryId) ?? createRow(entry);
    known.set(entry.entryId, row);
    return row;
  }

  /** Loads the next page. If the button is then hidden, the focus moves to the first new row. */
  async function readMore() {
    const before = entries.list.length;
    await entries.more();
    if (more.hidden && isFocusLost()) rows.rows[before]?.focus();
  }

  async function download() {
    if (isOff(save)) return;
    setOff(save, true);
    try {
      const { all, isWhole } = await readAll();
      saveFile(new Blob([csvOf(all)], { type: 'text/csv;charset=utf-8' }), `credits-${new Date().toISOString().slice(0, 10)}.csv`);
      const words = isWhole ? 'The statement was exported.' : `The newest ${formatNumber(all.length)} entries were exported.`;
      lead.textContent = isWhole ? LEAD : `${LEAD} ${words}`;
      announce(words);
    } catch (error) {
      problem.failed(error);
    }
    setOff(save, false);
  }

  /** Reads as many entries as a file may have, the newest first. */
  async function readAll() {
    /** @type {Entry[]} */
    const all = [];
    let after = null;
    for (let page = 0; page === 0 || (after && page < FILE_PAGES); page += 1) {
      const answer = await transport.get('/api/credits', { limit: FILE_PAGE, cursor: after });
      all.push(...answer.entries);
      after = answer.nextCursor;
    }
    return { all, isWhole: after === null };
  }

  return { node, refresh: entries.refresh, stop: () => {} };
}

/** @param {Entry} entry */
function createRow(entry) {
  const isCall = entry.kind !== 'grant' && 'integration' in entry.facts;
  const title = isCall ? element('a', { href: hrefOf('explorer', entry.what) }, entry.what) : element('span', {}, titleOf(entry));
  const note = noteOf(entry);
  const facts = element('span', { class: 'entry-facts' }, element('time', { datetime: entry.createdAt }, moment(entry.createdAt)), note && element('span', {}, note));
  return element('tr', { tabindex: '-1' }, element('th', { scope: 'row' }, title, facts), element('td', { class: 'entry-amount', data: { sign: entry.amount < 0 ? 'minus' : 'plus' } }, signedNumber(entry.amount)));
}
