// The panel beside the table of a collection: one record, or the form for a new one.

import { isFocusLost } from '../shared/elements.js';
import { titleOf } from './collections.js';
import { createCreatePanel } from './create-panel.js';
import { dataHref } from './data-route.js';
import { createRecordPanel } from './record-panel.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {import('./record-panel.js').RecordPanel | ReturnType<typeof createCreatePanel>} Panel
 *
 * @typedef {object} Table what stands beside the panel
 * @property {HTMLElement} node which holds the table and the panel
 * @property {import('./paged-rows.js').PagedRows} rows
 * @property {ReturnType<typeof import('./data-grid.js').createDataGrid>} grid
 * @property {ReturnType<typeof import('./deletion.js').createDeletion>} deletion
 * @property {HTMLElement} createButton
 * @property {() => void} focus
 * @property {(text: string) => void} warn shows an error above the table
 */

/**
 * @param {import('./collections.js').Collection} collection @param {import('../page/view.js').ViewContext} context
 * @param {import('./new-record.js').NewRecord} draft @param {Table} table
 */
export function createSidePanel(collection, context, draft, { node, rows, grid, deletion, createButton, focus, warn }) {
  /** @type {Panel | null} */
  let panel = null;

  /** @param {Panel | null} next */
  function show(next) {
    panel?.stop();
    panel?.node.remove();
    panel = next;
    if (panel) node.append(panel.node);
    node.classList.toggle('has-panel', Boolean(panel));
    grid.show(panel?.recordId ?? null);
    context.onTitle();
  }

  function showForm() {
    show(createCreatePanel({ collection, create, draft, onClose: close, onCreated, onUnsaved: warnUnlessForm }));
  }

  /** Shows why a record was not created. If the form was opened again, it shows the error itself. @param {string} text */
  function warnUnlessForm(text) {
    if (panel?.recordId !== null) warn(text);
  }

  /** @param {Record<string, any>} data */
  async function create(data) {
    const row = await rows.create(data, draft.keys);
    context.announce(`Created ${titleOf(collection, row)}`);
    return row;
  }

  /** @param {Row} row */
  function onCreated(row) {
    rows.put(row); // an earlier page of this collection may have created it
    show(null);
    if (isFocusLost()) grid.focus(row.recordId);
  }

  /** @param {string} recordId */
  function openRecord(recordId) {
    const parts = { context, collection, recordId, onClose: close, onSaved, onUnsaved: warn, onDelete, onTitle: context.onTitle };
    show(createRecordPanel(parts));
    panel?.focus();
  }

  /** Updates the row in the table, if the table shows it. @param {Row} row */
  function onSaved(row) {
    if (rows.rows[row.recordId]) rows.put(row);
  }

  /** @param {Row} row */
  async function onDelete(row) {
    const isDone = await deletion.remove(row);
    if (isDone && node.isConnected && panel?.recordId === row.recordId) close(); // false if something else is shown by now
  }

  /** Closes the panel; the focus returns to the element that opened it. */
  function close() {
    const recordId = panel?.recordId;
    show(null);
    if (recordId) location.hash = dataHref(collection.name);
    if (!isFocusLost()) return;
    if (!recordId) createButton.focus();
    else if (rows.rows[recordId]) grid.focus(recordId);
    else focus();
  }

  return {
    /** @returns {Panel | null} */
    get current() {
      return panel;
    },
    /** Shows the form for a new record. */
    showForm,
    /** Shows the panel of a record; null removes it, but leaves a form for a new record. @param {string | null} recordId */
    open(recordId) {
      if (recordId && recordId !== panel?.recordId) openRecord(recordId);
      else if (!recordId && panel?.recordId) show(null);
    },
    stop: () => show(null),
  };
}
