// What the field above the chats does. What it finds takes the place of the list.

import { createSearchResults } from './search-results.js';

const PAUSE = 200; // milliseconds after the last letter

/**
 * @param {object} options
 * @param {HTMLInputElement} options.input
 * @param {HTMLElement} options.results in which they are shown
 * @param {HTMLElement} options.lists which the results replace
 * @param {import('../shared/api-transport.js').Transport} options.transport
 * @param {(chatId: string, messageId: string | null) => void} options.onFound
 */
export function startSearch({ input, results, lists, transport, onFound }) {
  const found = createSearchResults({ transport, onFound, back: () => input.focus() });
  let timer = 0;
  results.replaceChildren(found.node);
  input.addEventListener('input', change);
  input.addEventListener('keydown', press);
  change(); // letters that were typed while this was loaded

  function change() {
    clearTimeout(timer);
    const question = input.value.trim();
    results.hidden = !question;
    lists.hidden = Boolean(question);
    if (!question) found.clear();
    else timer = setTimeout(search, PAUSE);
  }

  function search() {
    clearTimeout(timer);
    return found.search(input.value.trim());
  }

  /** @param {KeyboardEvent} event */
  async function press(event) {
    if (event.isComposing) return; // the key is for the input method
    if (event.key === 'Escape' && input.value) {
      event.stopPropagation(); // Escape closes one thing at a time
      input.value = '';
      change();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      found.focusFirst();
    } else if (event.key === 'Enter' && input.value.trim()) {
      event.preventDefault();
      const asked = input.value;
      const isThere = () => input.value === asked && document.activeElement === input; // else the user has gone on
      if ((await search()) && isThere()) found.openFirst();
    }
  }
}
