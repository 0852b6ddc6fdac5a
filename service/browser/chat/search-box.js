// The search field above the list of chats. The results replace the list.

import { isComposing } from '../shared/typing.js';
import { createSearchResults } from './search-results.js';

const PAUSE = 200; // ms between the last key press and the search

/**
 * @param {object} options
 * @param {HTMLInputElement} options.input
 * @param {HTMLElement} options.results the element in which the results are shown
 * @param {HTMLElement} options.lists the list that the results replace
 * @param {import('../shared/api-transport.js').Transport} options.transport
 * @param {(chatId: string, messageId: string | null) => void} options.onFound
 */
export function startSearch({ input, results, lists, transport, onFound }) {
  const hits = createSearchResults({ transport, onFound, back: () => input.focus() });
  let timer = 0;
  results.replaceChildren(hits.node);
  input.addEventListener('input', change);
  input.addEventListener('keydown', press);
  change(); // the user may have typed while this module was loaded

  function change() {
    clearTimeout(timer);
    const query = input.value.trim();
    results.hidden = !query;
    lists.hidden = Boolean(query);
    if (!query) hits.clear();
    else timer = setTimeout(search, PAUSE);
  }

  function search() {
    clearTimeout(timer);
    return hits.search(input.value.trim());
  }

  /** @param {KeyboardEvent} event */
  async function press(event) {
    if (isComposing(event)) return; // the key belongs to the input method
    if (event.key === 'Escape' && input.value) {
      event.stopPropagation(); // this press of Escape only clears the field
      input.value = '';
      change();
    } else if (event.key === 'ArrowDown') {
      event.preventDefault();
      hits.focusFirst();
    } else if (event.key === 'Enter' && input.value.trim()) {
      event.preventDefault();
      const query = input.value;
      const isThere = () => input.value === query && document.activeElement === input; // false if the user has typed or moved on
      if ((await search()) && isThere()) hits.openFirst();
    }
  }
}
