// The list of keyboard shortcuts.

import { element, iconButton } from '../shared/elements.js';
import { showModal } from '../shared/modal.js';
import { CONTROL } from '../shared/typing.js';

/** The shortcuts, by the place where they work: the effect, and the keys; `+` joins keys that are pressed together. @type {[string, [string, string[]][]][]} */
export const SHORTCUTS = [
  ['Everywhere', [
    ['Search and commands', [`${CONTROL}+K`]],
    ['Search in the view', ['/']],
    ['Next or previous part of the page', ['F6', 'Shift+F6']],
    ['Send a form from a long text', [`${CONTROL}+Enter`]],
    ['Keyboard shortcuts', ['?']],
    ['Close the topmost panel or dialog', ['Escape']],
  ]],
  ['Chat', [
    ['Send', ['Enter']],
    ['New line', ['Shift+Enter']],
    ['Put your last message into the empty box', ['↑']],
    ['Stop the reply', ['Escape']],
    ['Send an edited message', [`${CONTROL}+Enter`]],
  ]],
  ['List of chats', [
    ['Next or previous chat', ['↓', '↑']],
    ['Options of the chat', ['→']],
    ['Rename', ['F2']],
    ['Delete', ['Delete']],
  ]],
  ['Data', [
    ['Move from cell to cell', ['↑', '↓', '←', '→']],
    ['Ten rows up or down', ['Page Up', 'Page Down']],
    ['First or last cell of the row', ['Home', 'End']],
    ['Edit the cell', ['Enter', 'F2']],
    ['Cancel the edit', ['Escape']],
  ]],
  ['Canvas', [
    ['Move the widget', ['↑', '↓', '←', '→']],
    ['Select the widget', ['Space']],
    ['Select all', [`${CONTROL}+A`]],
    ['Select none', ['Escape']],
    ['Remove', ['Delete']],
    ['Move the view, with nothing selected', ['↑', '↓', '←', '→']],
    ['Zoom in or out', ['+', '−']],
    ['Show all', ['0']],
    ['Undo', [`${CONTROL}+Z`]],
    ['Redo', [`${CONTROL}+Shift+Z`]],
  ]],
];

/** @returns {() => void} closes the dialog */
export function openShortcuts() {
  const cross = iconButton('cross', 'Close', () => dialog.close());
  const head = element('div', { class: 'shortcuts-head' }, element('h2', { id: 'shortcuts-title' }, 'Keyboard shortcuts'), cross);
  const columns = element('div', { class: 'shortcuts-columns' }, ...SHORTCUTS.map(createTable));
  const tables = element('div', { class: 'shortcuts-tables', tabindex: '0', role: 'region', 'aria-labelledby': 'shortcuts-title' }, columns);
  const on = { close: () => dialog.remove(), pointerdown: (/** @type {Event} */ { target }) => target === dialog && dialog.close() };
  const dialog = element('dialog', { class: 'shortcuts', 'aria-labelledby': 'shortcuts-title', on }, head, tables);
  document.body.append(dialog);
  showModal(dialog);
  return () => dialog.close();
}

/** @param {[string, [string, string[]][]]} group */
function createTable([name, shortcuts]) {
  const rows = shortcuts.map(([action, keys]) =>
    element('tr', {}, element('th', { scope: 'row' }, action), element('td', {}, ...keys.flatMap(keysOf))),
  );
  return element('table', {}, element('caption', {}, name), element('tbody', {}, ...rows));
}

/** @param {string} keys that are pressed together @param {number} at its index among the key combinations with the same effect */
function keysOf(keys, at) {
  const parts = (keys === '+' ? [keys] : keys.split('+')).map((key) => element('kbd', {}, key));
  return [at ? ' or ' : '', element('span', { class: 'keys' }, ...parts)];
}
