// The command palette: a field, and below it the items that match the typed text. The focus stays in the field.
// Source: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/

import { findMessages, itemsOf, readCollectionItems, readEndpointItems } from './palette-items.js';
import { createPaletteList } from './palette-list.js';
import { groupsFor } from './palette-ranking.js';
import { element, iconButton } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { showModal } from '../shared/modal.js';
import { isCommand, isComposing } from '../shared/typing.js';

/**
 * @typedef {import('./palette-ranking.js').Item} Item
 * @typedef {{late?: Item[]}} Cache endpoints and collections, as they were last read
 */

const PAUSE = 200; // ms between the last key press and the search for messages

/**
 * @param {import('./commands.js').Console} app @param {Cache} cache @param {() => void} showShortcuts
 * @param {string} typed the text that was typed while this module was loaded
 * @returns {() => void} closes the palette
 */
export function openPalette(app, cache, showShortcuts, typed) {
  const list = createPaletteList(run);
  const state = element('p', { class: 'visually-hidden', role: 'status' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const input = createField(list.id);
  const cross = iconButton('cross', 'Close', close);
  const head = element('div', { class: 'palette-head' }, input, cross);
  const listeners = { keydown: press, close: end, pointerdown: pressOutside };
  const dialog = element('dialog', { class: 'palette', 'aria-label': 'Search and commands', on: listeners }, head, list.node, problem, state);
  const stopWatching = app.chats().collection.onChange(show);
  /** @type {Awaited<ReturnType<typeof findMessages>>} */
  let messages = [];
  let isCacheRead = false; // whether this palette has read the endpoints and collections: a restarted service may have others
  let timer = 0;

  function show() {
    const typed = input.value;
    const items = [...itemsOf(app, showShortcuts), ...(cache.late ?? [])];
    const groups = groupsFor(items, typed);
    const found = messages.map((item) => ({ ...item, hits: new Set(), score: 0 }));
    const count = list.show(found.length ? [...groups, { name: 'In messages', rows: found }] : groups);
    input.setAttribute('aria-expanded', String(count > 0));
    mark();
    state.textContent = count ? `${count} ${count === 1 ? 'result' : 'results'}` : '';
  }

  function change() {
    clearTimeout(timer);
    messages = [];
    problem.textContent = '';
    list.toFirst();
    show();
    if (!input.value.trim()) return;
    if (!isCacheRead) attempt(loadLate);
    timer = setTimeout(() => attempt(search), PAUSE);
  }

  async function loadLate() {
    const parts = await Promise.all([readCollectionItems(app), readEndpointItems(app)]);
    cache.late = parts.flat();
    isCacheRead = true;
  }

  async function search() {
    const typed = input.value;
    const found = await findMessages(app, typed.trim());
    if (typed === input.value) messages = found;
  }

  /** @param {() => Promise<void>} act after it, the list is drawn again; its error is not shown if other words were typed meanwhile */
  async function attempt(act) {
    const typed = input.value;
    try {
      await act();
    } catch (error) {
      if (typed === input.value) problem.textContent = errorText(error);
    }
    if (dialog.open) show();
  }

  /** Marks the row that Enter chooses as the active descendant of the field. */
  function mark() {
    const active = list.active();
    if (active) input.setAttribute('aria-activedescendant', active);
    else input.removeAttribute('aria-activedescendant');
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (isComposing(event)) return;
    if (isCommand(event, 'k') || event.key === 'Escape') close();
    else if (event.target !== input) return;
    else if (event.key === 'Enter') list.choose();
    else if (!list.move(event.key)) return;
    mark();
    event.preventDefault();
    event.stopPropagation(); // one press of Escape closes only the palette
  }

  /** @param {PointerEvent} event */
  function pressOutside({ target }) {
    if (target === dialog) close(); // the content covers the dialog, so a press on the dialog itself is a press on the backdrop
  }

  /** @param {Item} item */
  function run(item) {
    close(); // before the command: closing moves the focus back, and the command may move it again
    item.act();
  }

  function close() {
    dialog.close();
    end(); // not when the close event comes, because a command may open the next dialog at once
  }

  function end() {
    clearTimeout(timer);
    stopWatching();
    dialog.remove();
  }

  input.addEventListener('input', change);
  document.body.append(dialog);
  showModal(dialog);
  input.focus();
  input.value = typed;
  change();
  return close;
}

/** @param {string} listId */
function createField(listId) {
  return element('input', {
    type: 'text',
    role: 'combobox',
    class: 'palette-field',
    placeholder: 'Search chats, endpoints, data, commands',
    'aria-label': 'Search and commands',
    'aria-autocomplete': 'list',
    'aria-controls': listId,
    'aria-expanded': 'true',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '200', // the limit of the server's search
  });
}
