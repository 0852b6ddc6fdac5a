// Small tables of the app's collections beside the chat. The user edits them here, the assistant with its tools.

import { element, tryAgain } from '../shared/elements.js';
import { NetworkError, errorText } from '../shared/errors.js';
import { readCollections } from './collections.js';
import { createPagedRows } from './paged-rows.js';
import { createRecordTable } from './record-table.js';
import { tablesOf } from './record-tables.js';

const PAGE = 25;
const PATIENCE = 1000; // ms to wait for a table; if it takes longer, it may later push down the tables below it

/**
 * @param {import('../page/view.js').ViewContext} context @param {(count: number) => void} onCount gets the
 *   number of collections @returns {import('../page/view.js').View}
 */
export function createRecordsPane(context, onCount) {
  const text = element('p', { class: 'empty', role: 'status' }, 'Loading…');
  const retry = element('button', { type: 'button', class: 'quiet', hidden: true, on: { click: () => tryAgain(load, retry, focus) } }, 'Try again');
  const node = element('div', { class: 'records-view' }, text, retry);
  /** @type {{node: HTMLElement, rows: import('./paged-rows.js').PagedRows, stop: () => void}[]} */
  const parts = [];
  let stopped = false;
  let failed = false;
  const stopListening = context.socket.onPhase(() => context.socket.phase === 'open' && refresh());

  async function load() {
    retry.hidden = true;
    failed = false;
    try {
      const kinds = tablesOf(await readCollections(context.transport));
      if (!stopped) fill(kinds);
    } catch (error) {
      failed = true;
      // If the server can't be reached, the notice of the page says so.
      text.textContent = error instanceof NetworkError ? 'Not loaded yet.' : errorText(error);
      retry.hidden = false;
    }
  }

  function focus() {
    /** @type {HTMLElement | null} */ (node.querySelector('input, summary'))?.focus();
  }

  /** @param {import('./record-tables.js').TableKind[]} kinds */
  function fill(kinds) {
    const tables = kinds.map((kind) => {
      const rows = createPagedRows(kind.name, context, { size: PAGE });
      const table = createRecordTable(kind, rows, context);
      table.node.classList.add('is-next');
      rows.onChange(showNext);
      parts.push({ node: table.node, rows, stop: () => [table, rows].forEach((part) => part.stop()) });
      return table.node;
    });
    showNext();
    setTimeout(showAll, PATIENCE);
    text.textContent = kinds.length ? '' : 'This app has no collections of its own.';
    node.replaceChildren(...tables, ...(kinds.length ? [] : [text]));
    onCount(kinds.length);
  }

  /** Shows a table only after the tables above it, so that it does not move when they are loaded. */
  function showNext() {
    for (const { node: table, rows } of parts) {
      table.classList.remove('is-next');
      if (!rows.loaded && !rows.problem) return;
    }
  }

  function showAll() {
    for (const part of parts) part.node.classList.remove('is-next');
  }

  function refresh() {
    if (failed) load();
    for (const { rows } of parts) rows.refresh();
  }

  load();
  return {
    node,
    title: '',
    show() {},
    refresh,
    focus,
    stop() {
      stopped = true;
      stopListening();
      parts.forEach((part) => part.stop());
    },
  };
}
