// One row of the grid: a link that opens the record, and a cell for each column.

import { element, icon } from '../shared/elements.js';
import { dataHref } from './data-route.js';
import { mayDo, titleOf } from './collections.js';
import { createFlagCell } from './grid-flag-cell.js';
import { createTextCell } from './grid-text-cell.js';

/**
 * @typedef {import('./collections.js').Collection} Collection
 * @typedef {import('./collections.js').Column} Column
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {{collection: Collection, columns: Column[], subject: string,
 *   change: (row: Row, data: Record<string, any>, base: Record<string, any>) => Promise<Row>,
 *   isShown: () => boolean, onClose: (cell: HTMLElement, step: number) => void,
 *   onLost: (typed: string, error?: unknown) => void}} GridContext
 *   `isShown` tells whether the grid is still shown; `step` says by how many cells the focus moves; `onLost` gets the text
 *   that was not saved in a row that is no longer shown, and the error
 * @typedef {{node: HTMLElement, typed: () => string, update: (mayUpdate: boolean, title: string) => void}} GridCell
 *   `typed` returns the text that is neither saved nor being saved; `update` shows the current row
 * @typedef {ReturnType<typeof createGridRow>} GridRow
 */

/** @param {GridContext} context */
export function createGridRow(context) {
  const { collection, columns, subject } = context;
  const opener = element('a', { class: 'open-record', tabindex: '-1' }, icon('open'));
  const node = element('tr', {}, element('td', { role: 'gridcell', class: 'cell-open' }, opener));
  /** @type {Row} */
  let row;
  const cells = columns.map((column) => (column.type === 'boolean' ? createFlagCell : createTextCell)(context, column, () => row));
  node.append(...cells.map((cell) => cell.node));
  return {
    node,
    /** @returns {string} the text that is neither saved nor being saved */
    typed: () => cells.map((cell) => cell.typed()).find(Boolean) ?? '',
    /** @param {Row} next @param {boolean} isOpen */
    update(next, isOpen) {
      const isNew = next !== row;
      row = next;
      node.classList.toggle('is-open', isOpen);
      if (!isNew) return;
      const title = titleOf(collection, row);
      const mayUpdate = mayDo(collection, row, subject, 'update');
      opener.setAttribute('href', dataHref(collection.name, row.recordId));
      opener.setAttribute('aria-label', `Open ${title}`);
      opener.title = 'Open';
      for (const cell of cells) cell.update(mayUpdate, title);
    },
  };
}
