// The records of a collection as a grid. A click on a header sorts; cells are edited in place.

import { arrange, element } from '../shared/elements.js';
import { isJson, titleColumn, wordOf } from './collections.js';
import { letArrowsMove } from './grid-keys.js';
import { createGridRow } from './grid-row.js';

/**
 * @typedef {import('./collections.js').Collection} Collection
 * @typedef {import('./collections.js').Column} Column
 * @typedef {import('./paged-rows.js').PagedRows} PagedRows
 */

/**
 * @param {{collection: Collection, columns: Column[], subject: string, rows: PagedRows,
 *   isShown: () => boolean, onSort: (column: string) => void, onLost: (typed: string, error?: unknown) => void}} parts
 *   `isShown` and `onLost` as in `GridContext`
 */
export function createDataGrid({ collection, columns, subject, rows, isShown, onSort, onLost }) {
  const headers = columns.map((column) => createHeader(column, onSort));
  const corner = element('th', { scope: 'col', class: 'cell-open' }, element('span', { class: 'visually-hidden' }, 'Open'));
  const body = element('tbody');
  const table = element(
    'table',
    { class: 'data-grid', role: 'grid', 'aria-label': wordOf(collection.name) },
    element('thead', {}, element('tr', {}, corner, ...headers.map(({ node }) => node))),
    body,
  );
  corner.setAttribute('tabindex', '-1');
  for (const [at, column] of columns.entries()) headers[at].node.classList.add(widthOf(collection, column));
  const keys = letArrowsMove(table);
  /** @type {Map<string, import('./grid-row.js').GridRow>} */
  const views = new Map();
  const context = { collection, columns, subject, change: rows.change, isShown, onClose, onLost };

  /** @param {HTMLElement} cell @param {number} step */
  function onClose(cell, step) {
    const { rowIndex } = /** @type {HTMLTableRowElement} */ (cell.parentElement);
    const column = /** @type {HTMLTableCellElement} */ (cell).cellIndex + step;
    keys.moveTo({ row: rowIndex, column: Math.max(0, column) });
  }

  /** @param {string | null} openId of the record in the panel */
  function show(openId) {
    const before = keys.place();
    const hadFocus = body.contains(document.activeElement);
    for (const [id, view] of views) if (!rows.rows[id]) leave(id, view);
    arrange(body, rows.list.map((row) => viewOf(row, openId).node));
    for (const header of headers) header.mark(rows.sort);
    keys.tidy();
    if (hadFocus && !body.contains(document.activeElement)) keys.moveTo(before);
  }

  /** @param {import('../shared/live-rows.js').Row} row @param {string | null} openId */
  function viewOf(row, openId) {
    const view = views.get(row.recordId) ?? createGridRow(context);
    views.set(row.recordId, view);
    view.update(row, row.recordId === openId);
    return view;
  }

  /** @param {string} id @param {import('./grid-row.js').GridRow} view */
  function leave(id, view) {
    const typed = view.typed();
    views.delete(id);
    view.node.remove();
    if (typed) onLost(typed);
  }

  return {
    node: table,
    show,
    /** @param {string} [recordId] */
    focus(recordId) {
      const view = recordId && views.get(recordId);
      keys.moveTo(view ? { row: view.node.rowIndex, column: 0 } : { row: Math.min(1, table.rows.length - 1), column: 0 });
    },
  };
}

/** @param {Column} column @param {(name: string) => void} onSort */
function createHeader(column, onSort) {
  const word = wordOf(column.name);
  const isSortable = !isJson(column);
  const button = element('button', { type: 'button', tabindex: '-1', on: { click: () => onSort(column.name) } }, word, element('span', { class: 'sort-mark', 'aria-hidden': 'true' }));
  const node = element('th', { scope: 'col', tabindex: isSortable ? null : '-1' }, isSortable ? button : element('span', { class: 'header-word' }, word));
  return {
    node,
    /** @param {string} sort */
    mark(sort) {
      if (!isSortable) return;
      const way = sort === column.name ? 'ascending' : sort === `-${column.name}` ? 'descending' : 'none';
      node.setAttribute('aria-sort', way);
    },
  };
}

/** @param {Collection} collection @param {Column} column @returns the CSS class for the width of the column */
function widthOf(collection, column) {
  if (column === titleColumn(collection)) return 'width-title';
  if (column.type === 'string') return /Id$/.test(column.name) ? 'width-id' : 'width-text';
  return `width-${isJson(column) ? 'json' : column.type}`;
}
