// @ts-check
// A table that can be sorted by any column, and in which a row can be chosen.

import { columnsOf, day, element, moment } from '../../../browser/widgets/widget-ui.js';

/** @typedef {import('../../../browser/widgets/widget-values.js').Item} Item */

const COLUMNS = 6;
const DATE = /^\d{4}-\d{2}-\d{2}($|T)/;

/** @param {{onRow: (item: Item) => void, onOrder: (items: Item[]) => void}} options */
export function createGrid({ onRow, onOrder }) {
  const head = element('tr', {});
  const body = element('tbody', {});
  const node = element('table', { 'aria-label': 'Rows' }, element('thead', {}, head), body);
  /** @type {Item[]} */
  let items = [];
  /** @type {string[]} */
  let columns = [];
  /** @type {{column: string, descending: boolean} | null} */
  let order = null;
  let chosen = ''; // the chosen row as text, because rows are replaced when their collection changes
  /** @type {string[]} the shown rows, as text */
  let keys = [];

  function draw() {
    const sorted = order ? [...items].sort(by(order)) : items;
    const giveFocusBack = keepFocus();
    keys = sorted.map((item) => JSON.stringify(item));
    head.replaceChildren(...columns.map(headCell));
    body.replaceChildren(...sorted.map(row));
    giveFocusBack();
    onOrder(sorted);
  }

  /** Returns a function that gives the focus back to the same row or column header after the table was drawn. @returns {() => void} */
  function keepFocus() {
    const focused = document.activeElement;
    const [column, place] = [head, body].map((part) => [...part.children].findIndex((child) => child.contains(focused)));
    const [name, key] = [head.children[column]?.textContent, keys[place]];
    return () => {
      if (column >= 0) focusAt(head, columns.indexOf(name));
      if (place >= 0) focusAt(body, keys.includes(key) ? keys.indexOf(key) : Math.min(place, keys.length - 1));
    };
  }

  /** @param {any} part @param {number} at */
  function focusAt(part, at) {
    part.children[at]?.querySelector('button')?.focus();
  }

  /** @param {string} column */
  function headCell(column) {
    const direction = order?.column !== column ? 'none' : order.descending ? 'descending' : 'ascending';
    const sort = element('button', { type: 'button', on: { click: () => sortBy(column) } }, column);
    return element('th', { scope: 'col', 'aria-sort': direction }, sort);
  }

  /** @param {string} column */
  function sortBy(column) {
    order = { column, descending: order?.column === column && !order.descending };
    draw();
    focusAt(head, columns.indexOf(column));
  }

  /** @param {Item} item */
  function row(item) {
    const key = JSON.stringify(item);
    const [first, ...others] = columns;
    const pressed = String(key === chosen);
    const pick = element('button', { type: 'button', 'aria-pressed': pressed }, textIn(item[first]) || '–');
    const cells = others.map((column) => element('td', {}, textIn(item[column])));
    const line = element('tr', { 'data-chosen': pressed, on: { click: () => choose(key, item, line) } }, element('th', { scope: 'row' }, pick), ...cells);
    return line;
  }

  /** @param {string} key @param {Item} item @param {any} line */
  function choose(key, item, line) {
    chosen = key;
    for (const other of body.children) mark(other, other === line);
    onRow(item);
  }

  /** @param {any} line @param {boolean} isChosen */
  function mark(line, isChosen) {
    line.dataset.chosen = String(isChosen);
    line.querySelector('button').setAttribute('aria-pressed', String(isChosen));
  }

  return {
    node,
    /** @param {Item[]} next */
    set(next) {
      items = next;
      columns = columnsOf(items, COLUMNS);
      draw();
    },
  };
}

/** @param {{column: string, descending: boolean}} order @returns {(a: Item, b: Item) => number} empty values last */
function by({ column, descending }) {
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [one, other] = [a[column], b[column]];
    if (isEmpty(one) || isEmpty(other)) return Number(isEmpty(one)) - Number(isEmpty(other));
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * String(one).localeCompare(String(other), undefined, { numeric: true });
  };
}

/** @param {unknown} value */
const isEmpty = (value) => value === null || value === undefined || value === '';

/** @param {unknown} value @returns {string} */
function textIn(value) {
  if (isEmpty(value)) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value))) {
    return value.length === 10 ? day(value) : moment(value);
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
