// The chats of the signed-in user, the one with the newest activity first.

import { requestConfirmation } from './confirm-dialog.js';
import { arrange, element, icon, iconButton } from '../shared/elements.js';
import { sortRows } from '../shared/live-rows.js';
import { createProblemLine } from './problem-line.js';
import { hrefOf } from './route.js';
import { ago } from '../shared/when.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {import('./chats.js').Chats} Chats
 */

/** @param {Chats} chats @param {{onNewChat: () => void, onOpen: () => void}} handlers */
export function createChatList(chats, { onNewChat, onOpen }) {
  const list = element('ul', { class: 'chats' });
  const empty = element('p', { class: 'empty', hidden: true }, 'No chats yet.');
  const problem = createProblemLine(chats.collection);
  const { attempt } = problem;
  const addProps = { type: 'button', class: 'new-chat', on: { click: onNewChat } };
  const add = element('button', addProps, icon('plus'), 'New chat');
  const head = element('div', { class: 'pane-head' }, element('h2', { id: 'chats-title' }, 'Chats'), add);
  const node = element(
    'nav',
    { class: 'pane chats-pane', 'aria-labelledby': 'chats-title' },
    head,
    problem.node,
    list,
    empty,
  );
  /** @type {Map<string, ReturnType<typeof createChatItem>>} */
  const items = new Map();
  /** @type {string | null} */
  let selected = null;

  /** @param {Row} row */
  async function remove(row) {
    const title = titleOf(row);
    const text = `“${title}” and all its messages will be deleted. This can’t be undone.`;
    if (!(await requestConfirmation({ title: 'Delete this chat?', text, action: 'Delete' }))) return;
    if (await attempt(() => chats.remove(row.recordId))) add.focus();
  }

  function show() {
    const { collection } = chats;
    const rows = sortRows(collection.rows, (row) => row.updatedAt, true);
    for (const [id, item] of items) {
      if (collection.rows[id]) continue;
      item.node.remove();
      items.delete(id);
    }
    arrange(list, rows.map(renderItem));
    empty.hidden = rows.length > 0 || !collection.loaded;
    problem.update();
  }

  /** @param {Row} row */
  function renderItem(row) {
    const actions = { attempt, onOpen, remove, rename: chats.rename };
    const item = items.get(row.recordId) ?? createChatItem(actions);
    items.set(row.recordId, item);
    item.update(row, row.recordId === selected);
    return item.node;
  }

  return {
    node,
    stop: chats.collection.onChange(show),
    /** @param {string | null} chatId */
    select(chatId) {
      selected = chatId;
      show();
    },
  };
}

/** @param {Row} row */
export function titleOf(row) {
  return row.data.title || 'New chat';
}

/**
 * @param {{attempt: (act: () => Promise<unknown>) => Promise<boolean>, onOpen: () => void,
 *   remove: (row: Row) => void, rename: (id: string, title: string) => Promise<void>}} actions
 */
function createChatItem({ attempt, onOpen, remove, rename }) {
  /** @type {Row} */
  let row;
  const title = element('span', { class: 'chat-title' });
  const time = element('time');
  const link = element('a', { class: 'chat-link', on: { click: onOpen } }, title, time);
  const edit = iconButton('pencil', 'Rename', startEditing);
  const bin = iconButton('trash', 'Delete', () => remove(row));
  const fieldProps = { class: 'field rename', maxlength: '200', 'aria-label': 'Title of the chat' };
  const field = element('input', { ...fieldProps, hidden: true });
  const node = element('li', {}, link, field, element('span', { class: 'chat-actions' }, edit, bin));
  link.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => event.key === 'F2' && startEditing());
  field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Enter') finishEditing(true);
    if (event.key === 'Escape') finishEditing(false);
  });
  field.addEventListener('blur', () => finishEditing(true, false));

  function startEditing() {
    field.value = row.data.title ?? '';
    setEditing(true);
    field.select();
  }

  /** @param {boolean} save @param {boolean} [refocus] */
  async function finishEditing(save, refocus = true) {
    if (field.hidden) return;
    const newTitle = field.value.trim();
    setEditing(false);
    if (refocus) link.focus();
    if (!save || !newTitle || newTitle === row.data.title) return;
    if (await attempt(() => rename(row.recordId, newTitle))) return;
    startEditing(); // keeps the new title in the field
    field.value = newTitle;
  }

  /** @param {boolean} editing */
  function setEditing(editing) {
    field.hidden = !editing;
    link.hidden = editing;
    node.classList.toggle('editing', editing);
    if (editing) field.focus();
  }

  return {
    node,
    /** @param {Row} next @param {boolean} selected */
    update(next, selected) {
      row = next;
      title.textContent = titleOf(row);
      time.textContent = ago(row.updatedAt);
      time.dateTime = row.updatedAt;
      link.href = hrefOf('chat', row.recordId);
      if (selected) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      edit.setAttribute('aria-label', `Rename ${titleOf(row)}`);
      bin.setAttribute('aria-label', `Delete ${titleOf(row)}`);
    },
  };
}
