// A small live table of one collection. The user edits it here, the assistant with its tools.

import { arrange, element, icon, iconButton, isFocusLost, watchDoubleClicks } from '../shared/elements.js';
import { createProblemLine } from '../page/problem-line.js';
import { withArticle } from '../shared/words.js';
import { mayDo, titleOf } from './collections.js';
import { dataHref } from './data-route.js';
import { createDeletion } from './deletion.js';
import { createCell } from './record-cells.js';
import { readText } from './values.js';

/**
 * @typedef {import('./record-cells.js').Column} Column
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {import('./record-tables.js').TableKind} TableKind
 * @typedef {import('./paged-rows.js').PagedRows} PagedRows
 */

const DELETED = 'This row was deleted in the meantime.';

/**
 * @param {TableKind} kind @param {PagedRows} collection
 * @param {{drafts: import('../page/drafts.js').Drafts, subject: string, announce: (sentence: string) => void}} context
 */
export function createRecordTable(kind, collection, { drafts, subject, announce }) {
  const count = element('span', { class: 'count' });
  const problem = createProblemLine(collection);
  const { attempt } = problem;
  const empty = element('p', { class: 'empty' });
  const again = element('button', { type: 'button', class: 'quiet', hidden: true, on: { click: readAgain } }, 'Try again');
  const rows = element('tbody');
  const deletion = createDeletion(kind.schema, collection, { subject, announce, leave: focus });
  const all = element('a', { class: 'all-records', href: dataHref(kind.name) }, `All ${kind.title.toLowerCase()}`);
  const table = element(
    'table',
    { class: 'records', 'aria-label': kind.title },
    element('colgroup', {}, ...kind.columns.map((column) => element('col', { class: classOf(column) })), element('col', { class: 'column-delete' })),
    element('thead', { class: 'visually-hidden' }, element('tr', {}, ...[...kind.columns, { label: 'Delete' }].map(headCell))),
    rows,
  );
  const adding = createAddForm(kind, drafts, add);
  const title = element('h2', {}, kind.title);
  const summary = element('summary', {}, icon('chevron'), title, count);
  const node = element(
    'details',
    { class: 'record-box', open: true },
    summary,
    problem.node,
    again,
    adding.node,
    table,
    empty,
    deletion.node,
    all,
  );
  /** @type {Map<string, ReturnType<typeof createRow>>} */
  const views = new Map();
  /** @type {Set<string>} rows that are being deleted here */
  const deleting = new Set();
  const isSecondPress = watchDoubleClicks(table);
  let first = true;

  const actions = {
    warn: problem.show,
    save: (/** @type {Row} */ row, /** @type {any} */ data) => attempt(() => collection.change(row, data)),
    async remove(/** @type {Row} */ row) {
      if (isSecondPress()) return;
      deleting.add(row.recordId);
      if ((await deletion.remove(row)) && isFocusLost()) focus();
      deleting.delete(row.recordId);
    },
  };

  /** Focuses the field for a new row, or the heading of the table if no row can be added. */
  function focus() {
    if (kind.canAdd) adding.focus();
    else summary.focus();
  }

  /** @param {string} text */
  async function add(text) {
    const isAdded = await attempt(() => collection.create({ [kind.titleName]: text }));
    if (isAdded) announce(`Created ${text}`);
    return isAdded;
  }

  /**
   * Saves the unsaved text and the focus from a row that was deleted elsewhere.
   * @param {ReturnType<typeof createRow>} view
   */
  function rescue(view) {
    const hadFocus = view.node.contains(document.activeElement);
    const typed = view.abandon(); // before moving the focus: a cell saves when it loses the focus
    if (hadFocus) focus();
    if (!hadFocus && !typed) return;
    const isMoved = !typed || adding.prefill(typed);
    problem.show(isMoved ? DELETED : `${DELETED} You had typed “${typed}”.`);
  }

  async function readAgain() {
    problem.show(''); // cleared first, so that the same error is read out again
    await collection.readAgain();
    if (again.hidden && isFocusLost()) focus();
  }

  function show() {
    const sorted = collection.list;
    for (const [id, view] of views) {
      if (collection.rows[id]) continue;
      if (!deleting.has(id)) rescue(view);
      view.node.remove();
      views.delete(id);
    }
    arrange(rows, sorted.map(renderRow));
    node.hidden = collection.missing;
    count.textContent = collection.loaded ? `${sorted.length}${collection.hasMore ? '+' : ''}` : '';
    all.hidden = !sorted.length;
    empty.textContent = emptyText(sorted.length);
    table.hidden = !sorted.length;
    again.hidden = !collection.isUnread || collection.missing;
    problem.update();
    first = first && !collection.loaded;
  }

  /** @param {Row} row */
  function renderRow(row) {
    const known = views.get(row.recordId);
    const view = known ?? createRow(kind, subject, actions);
    views.set(row.recordId, view);
    const changed = view.update(row);
    if (changed && !first) highlight(view.node, known ? 'changed' : 'added');
    return view.node;
  }

  /** @param {number} length */
  function emptyText(length) {
    if (!collection.loaded) return collection.problem ? '' : 'Loading…';
    return length ? '' : `No ${kind.title.toLowerCase()} yet.`;
  }

  const stop = collection.onChange(show);
  show();
  return { node, stop };
}

/** @param {{label: string}} column */
function headCell({ label }) {
  return element('th', { scope: 'col' }, label);
}

/** @param {import('./record-cells.js').Column} column */
function classOf({ kind, isTitle }) {
  return isTitle ? 'column-title' : `column-${kind}`;
}

/** @param {HTMLElement} node @param {string} className shown for a moment to highlight the row */
function highlight(node, className) {
  node.classList.remove('changed', 'added');
  requestAnimationFrame(() => node.classList.add(className));
}

/**
 * @param {TableKind} kind @param {string} subject
 * @param {{warn: (text: string) => void, save: (row: Row, data: any) => Promise<boolean>,
 *   remove: (row: Row) => void}} actions
 */
function createRow({ schema, columns }, subject, { warn, save, remove }) {
  /** @type {Row} */
  let row;
  /** @param {Column} column @param {any} value the text as typed, or the state of a checkbox */
  async function saveCell(column, value) {
    const reading = column.kind === 'flag' ? { value } : readText(column, value);
    if ('problem' in reading) warn(reading.problem);
    return 'problem' in reading ? false : save(row, { [column.name]: reading.value });
  }
  const cells = columns.map((column) => createCell(column, saveCell, warn));
  const bin = iconButton('trash', 'Delete', () => remove(row));
  const boxes = cells.map((cell, at) => element('td', { class: classOf(columns[at]) }, cell.node));
  const node = element('tr', {}, ...boxes, element('td', { class: 'column-delete' }, bin));
  return {
    node,
    /** @returns {string} the unsaved text, if any */
    abandon: () => cells.map((cell) => cell.abandon()).find(Boolean) ?? '',
    /** @param {Row} next @returns {boolean} whether anything shown has changed */
    update(next) {
      row = next;
      const title = titleOf(schema, row);
      bin.hidden = !mayDo(schema, row, subject, 'delete');
      bin.setAttribute('aria-label', `Delete ${title}`);
      node.classList.toggle('is-done', row.data.done === true);
      return cells.map((cell) => cell.update(row, title)).includes(true);
    },
  };
}

/**
 * @param {TableKind} kind
 * @param {import('../page/drafts.js').Drafts} drafts
 * @param {(title: string) => Promise<boolean>} add
 */
function createAddForm(kind, drafts, add) {
  const draft = `row:${kind.name}`;
  const field = element('input', {
    class: 'add-field',
    'aria-label': `New ${kind.singular}`,
    placeholder: `Add ${withArticle(kind.singular)}`,
    autocomplete: 'off',
    value: drafts.get(draft),
    on: { input: keep },
  });
  const label = `Add this ${kind.singular}`;
  const button = element('button', { class: 'icon-button', 'aria-label': label, title: label }, icon('plus'));
  /** @type {Set<string>} titles that are being added, so that a second press does not add one again */
  const running = new Set();
  function keep() {
    drafts.set(draft, field.value);
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const title = field.value.trim();
    if (!title || running.has(title)) return;
    running.add(title);
    const isAdded = await add(title);
    running.delete(title);
    if (!isAdded || field.value.trim() !== title) return; // the user has typed something else since
    field.value = '';
    keep();
  }

  return {
    node: element('form', { class: 'add-row', hidden: !kind.canAdd, on: { submit } }, field, button),
    focus: () => field.focus(),
    /** @param {string} text @returns {boolean} false if no row can be added, or if the field already has text */
    prefill(text) {
      if (!kind.canAdd || field.value) return false;
      field.value = text.replaceAll('\n', ' ');
      keep();
      return true;
    },
  };
}
