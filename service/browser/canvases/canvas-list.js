// The list of the canvases that the signed-in user may read, the last changed first.

import { requestConfirmation } from '../page/confirm-dialog.js';
import { arrange, element, icon, iconButton, isFocusLost, isOff, setOff } from '../shared/elements.js';
import { sortRows } from '../shared/live-rows.js';
import { createProblemLine } from '../page/problem-line.js';
import { hrefOf } from '../page/route.js';
import { since } from '../shared/time-format.js';

/** @typedef {import('../shared/live-rows.js').Row} Row */

/** The title of a canvas; a row of an earlier version has a name instead. @param {Row} row @returns {string} */
export function titleOf({ data }) {
  return data.title || data.name || 'Untitled canvas';
}

/**
 * @param {import('../shared/live-collection.js').LiveCollection} collection of canvases
 * @param {object} options
 * @param {(id: string) => void} options.open
 * @param {string} options.subject of the signed-in user
 * @param {() => Promise<'all' | 'own' | 'none'>} options.deletable which canvases the user may delete
 */
export function createCanvasList(collection, { open, subject, deletable }) {
  const problem = createProblemLine(collection);
  const add = element('button', { type: 'button', class: 'primary', on: { click: create } }, icon('plus'), 'New canvas');
  const list = element('ul', { class: 'canvas-cards' });
  const empty = element(
    'p',
    { class: 'empty', hidden: true },
    'No canvases yet. On a canvas, widgets stand side by side and pass values to each other.',
  );
  const node = element(
    'div',
    { class: 'canvas-list' },
    element('div', { class: 'canvas-list-head' }, element('h2', {}, 'Canvases'), add),
    problem.node,
    empty,
    list,
  );
  /** @type {Map<string, ReturnType<typeof createCard>>} */
  const cards = new Map();
  const stop = collection.onChange(show);
  /** @type {'all' | 'own' | 'none'} */
  let rights = 'own'; // until the server has answered
  let begun = false;

  /** Reads which canvases the user may delete, when the list is first shown. */
  async function begin() {
    if (begun) return;
    begun = true;
    rights = await deletable().catch(() => rights); // if this fails, only the server refuses a deletion
    show();
  }

  async function create() {
    if (isOff(add)) return;
    setOff(add, true);
    const title = `Canvas ${Object.keys(collection.rows).length + 1}`;
    const data = { title, widgets: [], io: { version: 1, connections: [], widgets: {} } };
    await problem.attempt(async () => {
      const { recordId } = await collection.create(data);
      if (node.isConnected) open(recordId); // false if the user has left the list meanwhile
    });
    setOff(add, false);
  }

  /** @param {Row} row */
  async function remove(row) {
    const text = `“${titleOf(row)}” will be deleted for everybody who sees it. What its widgets have sent or created elsewhere stays.`;
    if (!(await requestConfirmation({ title: 'Delete this canvas?', text, action: 'Delete' }))) return;
    if ((await problem.attempt(() => collection.remove(row))) && isFocusLost()) add.focus();
  }

  function show() {
    const rows = sortRows(collection.rows, (row) => row.updatedAt, true);
    for (const [id, card] of cards) {
      if (collection.rows[id]) continue;
      card.node.remove();
      cards.delete(id);
    }
    arrange(list, rows.map((row) => {
      const card = cards.get(row.recordId) ?? createCard(remove);
      const isOwn = row.data.userId === subject;
      cards.set(row.recordId, card);
      card.update(row, isOwn, rights === 'all' || (rights === 'own' && isOwn));
      return card.node;
    }));
    empty.hidden = rows.length > 0 || !collection.loaded;
    problem.update();
  }

  show();
  return {
    node,
    begin,
    show,
    stop,
    /** @param {string | null} [id] of the canvas that was open before */
    focus: (id) => (cards.get(id ?? '') ?? { focus: () => add.focus() }).focus(),
  };
}

/** @param {(row: Row) => void} remove */
function createCard(remove) {
  /** @type {Row} */
  let row;
  const title = element('span', { class: 'canvas-card-title' });
  const about = element('span', { class: 'hint' });
  const link = element('a', { class: 'canvas-card-link' }, title, about);
  const bin = iconButton('trash', 'Delete', () => remove(row));
  const node = element('li', { class: 'canvas-card' }, link, bin);
  return {
    node,
    focus: () => link.focus(),
    /** @param {Row} next @param {boolean} isOwn @param {boolean} mayDelete */
    update(next, isOwn, mayDelete) {
      row = next;
      const count = row.data.widgets?.length ?? 0;
      title.textContent = titleOf(row);
      const owner = isOwn || !row.data.userId ? '' : `of ${row.data.userId}, `;
      about.textContent = `${owner}${count} ${count === 1 ? 'widget' : 'widgets'}, changed ${since(row.updatedAt)}`;
      link.href = hrefOf('canvas', row.recordId);
      bin.hidden = !mayDelete;
      bin.setAttribute('aria-label', `Delete ${titleOf(row)}`);
    },
  };
}
