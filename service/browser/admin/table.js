// A table that keeps the node of a row as long as its data stay the same, so that a refresh does not move the focus. If the
// focused row changes, its new node gets the focus; if it is removed, the table.

import { arrangeOnly, element } from '../shared/elements.js';
import { renewTimes } from './words.js';

/** @typedef {import('../shared/elements.js').Child} Child */

/**
 * @template T
 * @param {object} options
 * @param {string} options.caption
 * @param {{label: string, cell: (row: T) => Child, number?: boolean}[]} options.columns the first one is the header of the row
 * @param {(row: T) => string} options.key
 * @param {string} options.empty the text that is shown when there are no rows
 */
export function createTable({ caption, columns, key, empty }) {
  const head = columns.map(({ label, number }) => element('th', { scope: 'col', role: 'columnheader', class: number && 'number' }, label));
  const body = element('tbody', { role: 'rowgroup' });
  const table = element(
    'table',
    { class: 'admin-table', role: 'table', 'aria-label': caption, hidden: true },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    body,
  );
  const nothing = element('p', { class: 'admin-empty', hidden: true }, empty);
  const node = element('div', { class: 'admin-table-box', tabindex: '-1' }, table, nothing);
  /** @type {Map<string, {text: string, node: HTMLElement}>} */
  let known = new Map();

  /** @param {T} row @returns {HTMLElement} */
  function rowOf(row) {
    const cells = columns.map(({ label, cell, number }, at) => {
      const first = at === 0;
      const props = { role: first ? 'rowheader' : 'cell', scope: first && 'row', class: number && 'number', data: { label } };
      return element(first ? 'th' : 'td', props, cell(row));
    });
    return element('tr', { role: 'row' }, ...cells);
  }

  /** Returns a function that gives the focus back to the same control of the same row, after the rows were drawn. @returns {() => void} */
  function keepFocus() {
    const focused = document.activeElement;
    const [id, row] = [...known].find((entry) => focused && entry[1].node.contains(focused)) ?? [];
    if (!row) return () => {};
    const place = controlsOf(row.node).findIndex((control) => control === focused);
    return () => {
      if (body.contains(document.activeElement)) return;
      const now = known.get(/** @type {string} */ (id));
      (controlsOf(now?.node)[place] ?? node).focus({ preventScroll: true });
    };
  }

  return {
    node,
    /** @param {T[]} rows */
    show(rows) {
      const giveFocusBack = keepFocus();
      const next = new Map();
      for (const row of rows) {
        const text = JSON.stringify(row);
        const before = known.get(key(row));
        next.set(key(row), before?.text === text ? before : { text, node: rowOf(row) });
      }
      const nodes = [...next.values()].map((each) => each.node);
      arrangeOnly(body, nodes);
      renewTimes(body);
      known = next;
      table.hidden = rows.length === 0;
      nothing.hidden = rows.length > 0;
      giveFocusBack();
    },
  };
}

/** @param {HTMLElement} [row] @returns {HTMLElement[]} its links and buttons */
function controlsOf(row) {
  return row ? [...row.querySelectorAll('a, button')].map((control) => /** @type {HTMLElement} */ (control)) : [];
}
