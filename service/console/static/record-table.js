// A live table of one collection, changed by hand here and by the assistant beside it.

import { arrange, element, icon, iconButton } from './elements.js';
import { sorted } from './live-rows.js';
import { createProblemLine } from './problem-line.js';
import { createCell } from './record-cells.js';

/**
 * @typedef {import('./record-cells.js').Column} Column
 * @typedef {import('./messages.js').Row} Row
 * @typedef {{name: string, title: string, one: string, columns: Column[]}} TableKind
 */

/**
 * @param {TableKind} kind
 * @param {import('./live-collection.js').LiveCollection} collection
 * @param {import('./drafts.js').Drafts} drafts
 */
export function createRecordTable(kind, collection, drafts) {
  const count = element('span', { class: 'count' });
  const problem = createProblemLine(collection);
  const { attempt } = problem;
  const empty = element('p', { class: 'empty' });
  const rows = element('tbody');
  const heads = [...kind.columns.map(({ label }) => label), 'Delete'];
  const table = element(
    'table',
    { class: `records ${kind.name}`, 'aria-label': kind.title },
    element('thead', { class: 'visually-hidden' }, element('tr', {}, ...heads.map(headCell))),
    rows,
  );
  const adding = createAddForm(kind, drafts, (title) => attempt(() => collection.create({ title })));
  const title = element('h2', {}, kind.title);
  const node = element(
    'details',
    { class: 'record-box', open: true },
    element('summary', {}, icon('chevron'), title, count),
    problem.node,
    adding,
    table,
    empty,
  );
  /** @type {Map<string, ReturnType<typeof createRow>>} */
  const views = new Map();
  let first = true;

  const acts = {
    warn: problem.say,
    save: (/** @type {Row} */ row, /** @type {any} */ data) => attempt(() => collection.update(row, data)),
    async remove(/** @type {Row} */ row) {
      if (await attempt(() => collection.remove(row))) adding.querySelector('input')?.focus();
    },
  };

  function show() {
    const found = sorted(collection.rows, (row) => row.createdAt, true);
    for (const [id, view] of views) {
      if (collection.rows[id]) continue;
      view.node.remove();
      views.delete(id);
    }
    arrange(rows, found.map(shownRow));
    count.textContent = collection.loaded && !collection.missing ? String(found.length) : '';
    empty.textContent = emptyText(found.length);
    adding.hidden = collection.missing;
    table.hidden = !found.length;
    problem.follow();
    first = first && !collection.loaded;
  }

  /** @param {Row} row */
  function shownRow(row) {
    const known = views.get(row.recordId);
    const view = known ?? createRow(kind.columns, acts);
    views.set(row.recordId, view);
    const changed = view.update(row);
    if (changed && !first) mark(view.node, known ? 'changed' : 'added');
    return view.node;
  }

  /** @param {number} length */
  function emptyText(length) {
    if (collection.missing) return `This server has no collection called “${kind.name}”.`;
    if (!collection.loaded) return collection.problem ? '' : 'Loading…';
    return length ? '' : `No ${kind.name} yet.`;
  }

  const stop = collection.onChange(show);
  show();
  return { node, stop };
}

/** @param {string} label */
function headCell(label) {
  return element('th', { scope: 'col' }, label);
}

/** @param {HTMLElement} node @param {string} how shown for a moment, so that the eye finds it */
function mark(node, how) {
  node.classList.remove('changed', 'added');
  requestAnimationFrame(() => node.classList.add(how));
}

/**
 * @param {Column[]} columns
 * @param {{warn: (text: string) => void, save: (row: Row, data: any) => Promise<boolean>,
 *   remove: (row: Row) => void}} acts
 */
function createRow(columns, { warn, save, remove }) {
  /** @type {Row} */
  let row;
  const cells = columns.map((column) =>
    createCell(column, ({ name }, value) => save(row, { [name]: value }), warn),
  );
  const bin = iconButton('trash', 'Delete', () => remove(row));
  const boxes = cells.map((cell, at) => element('td', { class: `column-${columns[at].name}` }, cell.node));
  const node = element('tr', {}, ...boxes, element('td', { class: 'column-delete' }, bin));
  return {
    node,
    /** @param {Row} next @returns {boolean} whether anything shown has changed */
    update(next) {
      row = next;
      const of = row.data.title || 'untitled';
      bin.setAttribute('aria-label', `Delete ${of}`);
      node.classList.toggle('is-done', row.data.done === true);
      return cells.map((cell) => cell.update(row, of)).includes(true);
    },
  };
}

/**
 * @param {TableKind} kind
 * @param {import('./drafts.js').Drafts} drafts
 * @param {(title: string) => Promise<boolean>} add
 */
function createAddForm(kind, drafts, add) {
  const draft = `row:${kind.name}`;
  const field = element('input', {
    class: 'add-field',
    'aria-label': `New ${kind.one}`,
    placeholder: `Add a ${kind.one}`,
    autocomplete: 'off',
    value: drafts.get(draft),
    on: { input: () => drafts.set(draft, field.value) },
  });
  const label = `Add this ${kind.one}`;
  const button = element('button', { class: 'icon-button', 'aria-label': label, title: label }, icon('plus'));
  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const title = field.value.trim();
    if (!title || !(await add(title))) return;
    field.value = '';
    drafts.set(draft, '');
  }
  return element('form', { class: 'add-row', on: { submit } }, field, button);
}
