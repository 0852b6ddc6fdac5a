// A small table for an answer: its most useful columns and five rows; a button shows the other rows.

import { element } from '../shared/elements.js';
import { cellText } from '../integrations/answer-shape.js';
import { safeAddress } from '../page/safe-address.js';
import { nameInWords } from '../shared/words.js';
import { capitalize, isMoment, momentInWords } from './value-words.js';

/** @typedef {import('../integrations/answer-shape.js').Table} Table */

const FIRST = 5; // rows
const MOST_COLUMNS = 5;
const LONGEST = 120; // characters of a cell
const SILENT = /^(id|key|.*Id|.*Ids|url|.*Url|token|.*Token|.*\.id)$/; // columns that are of little use to people

/** @param {Table} table @returns {HTMLElement} */
export function createResultTable({ title, columns, rows, more }) {
  const shown = usefulColumns(columns);
  const head = shown.map((at) => element('th', { scope: 'col' }, capitalize(nameInWords(columns[at]))));
  const body = element('tbody', {}, ...rows.slice(0, FIRST).map(createRow));
  const label = `Table of ${nameInWords(title)}`;
  const table = element('table', {}, element('caption', {}, label), element('thead', {}, element('tr', {}, ...head)), body);
  const box = element('div', { class: 'answer-table', tabindex: '0', role: 'group', 'aria-label': label }, table);
  const rest = element('button', { type: 'button', class: 'quiet', hidden: rows.length <= FIRST, on: { click: showAll } }, `Show all ${rows.length}`);
  const left = element('p', { class: 'hint', hidden: !(more > 0) }, `${more} more are in the details.`);

  /** @param {any[]} row */
  function createRow(row) {
    return element('tr', {}, ...shown.map((at) => element('td', {}, createCell(row[at]))));
  }

  function showAll() {
    body.append(...rows.slice(FIRST).map(createRow));
    rest.hidden = true;
    box.focus(); // the focused button is hidden now
  }

  return element('div', { class: 'call-table' }, box, rest, left);
}

/** @param {string[]} columns @returns {number[]} the indexes of the columns to show */
function usefulColumns(columns) {
  const places = [...columns.keys()];
  const useful = places.filter((at) => !SILENT.test(columns[at]));
  return (useful.length ? useful : places).slice(0, MOST_COLUMNS);
}

/** @param {any} value */
function createCell(value) {
  if (typeof value === 'string' && isMoment(value)) return momentInWords(value);
  const href = typeof value === 'string' ? safeAddress(value, location.href) : null;
  if (href) return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, new URL(href).host);
  const text = cellText(value);
  const isLong = text.length > LONGEST;
  return element('span', { class: text.length > 20 ? 'cell-text' : 'cell-short' }, isLong ? `${text.slice(0, LONGEST - 1)}…` : text);
}
