// One chat in the list: a link, a field for renaming, and a menu. The link is the only tab stop of the row.

import { element, iconButton, isFocusLost } from '../shared/elements.js';
import { hrefOf } from '../page/route.js';
import { ago } from '../shared/time-format.js';
import { isComposing } from '../shared/typing.js';

/** @typedef {import('../shared/live-rows.js').Row} Row */

/** @param {Row} row @returns {string} when the last message was stored; renaming the chat does not change this time */
export function lastActive(row) {
  return row.data.activeAt ?? row.updatedAt;
}

/** @param {Row} row */
export function titleOf(row) {
  return row.data.title || 'New chat';
}

/**
 * @typedef {object} RowActions
 * @property {(act: () => Promise<unknown>) => Promise<boolean>} attempt
 * @property {() => void} onOpen
 * @property {(row: Row) => void} remove
 * @property {(id: string, title: string) => Promise<void>} rename
 * @property {(id: string, pinned: boolean) => Promise<void>} pin
 * @property {(id: string, format: 'markdown' | 'json') => Promise<void>} save
 * @property {() => Promise<typeof import('../page/popup-menu.js').showMenu>} loadMenu
 */

/** @param {RowActions} actions */
export function createChatRow({ attempt, onOpen, remove, rename, pin, save, loadMenu }) {
  /** @type {Row} */
  let row;
  const title = element('span', { class: 'chat-title' });
  const time = element('time');
  const link = element('a', { class: 'chat-link', on: { click: onOpen, keydown: press } }, title, time);
  const more = iconButton('more', 'Options', openMenu, { tabindex: '-1', 'aria-haspopup': 'menu' });
  const fieldProps = { class: 'field rename', maxlength: '200', 'aria-label': 'Title of the chat' };
  const field = element('input', { ...fieldProps, hidden: true });
  const node = element('li', { on: { contextmenu: openAtPointer } }, link, field, element('span', { class: 'chat-actions' }, more));
  more.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => event.key === 'ArrowLeft' && link.focus());
  field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (isComposing(event)) return; // the key belongs to the input method
    if (event.key === 'Enter') finishEditing(true);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    finishEditing(false);
  });
  field.addEventListener('blur', () => finishEditing(true, false));

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key === 'F2') startEditing();
    else if (event.key === 'Delete') remove(row);
    else if (event.key === 'ArrowRight') more.focus();
    else return;
    event.preventDefault();
  }

  /** Opens the menu on a right click or when the menu key is pressed on the link. @param {MouseEvent} event */
  function openAtPointer(event) {
    if (event.target === field) return;
    event.preventDefault();
    openMenu();
  }

  async function openMenu() {
    await attempt(async () => show(await loadMenu()));
  }

  /** @param {typeof import('../page/popup-menu.js').showMenu} showMenu */
  function show(showMenu) {
    const { recordId: id, data } = row;
    showMenu(more, `Options of ${titleOf(row)}`, [
      { icon: 'pencil', label: 'Rename', act: startEditing },
      { icon: 'pin', label: data.pinned ? 'Unpin' : 'Pin', act: () => attempt(() => pin(id, !data.pinned)) },
      { icon: 'download', label: 'Export as Markdown', act: () => attempt(() => save(id, 'markdown')) },
      { icon: 'download', label: 'Export as JSON', act: () => attempt(() => save(id, 'json')) },
      { icon: 'trash', label: 'Delete', act: () => remove(row) },
    ], link);
  }

  function startEditing() {
    field.value = row.data.title ?? '';
    setEditing(true);
    field.focus();
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
    if (!field.hidden) return; // the user is already typing another title
    const mayFocus = document.activeElement === link || isFocusLost();
    setEditing(true); // keeps the new title in the field
    field.value = newTitle;
    if (mayFocus) field.focus();
  }

  /** @param {boolean} editing */
  function setEditing(editing) {
    field.hidden = !editing;
    link.hidden = editing;
    node.classList.toggle('editing', editing);
  }

  return {
    node,
    /** @param {Row} next @param {boolean} selected */
    update(next, selected) {
      row = next;
      title.textContent = titleOf(row);
      time.textContent = ago(lastActive(row));
      time.dateTime = lastActive(row);
      link.href = hrefOf('chat', row.recordId);
      if (selected) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
      more.setAttribute('aria-label', `Options of ${titleOf(row)}`);
    },
  };
}
