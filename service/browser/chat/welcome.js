// The page of a new chat: one line, and suggestions that are loaded when it is first shown. While the messages of a chat
// are read, only the word “Loading” is visible.

import { element } from '../shared/elements.js';

/** @typedef {import('./suggestions.js').Suggestion} Suggestion */

/**
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {import('./composer.js').Composer} composer
 */
export function createWelcome(transport, composer) {
  const list = element('ul', { class: 'suggestions', 'aria-label': 'Suggestions' });
  const line = 'The assistant reads and changes records with your permissions only.';
  const node = element('div', { class: 'welcome' }, element('p', { class: 'welcome-wait' }, 'Loading…'), element('p', { class: 'welcome-line' }, line), list);
  let isLoading = false;
  let chosen = '';

  /** Loads the suggestions once. A failure is not shown; the next call tries again. */
  async function load() {
    if (isLoading) return;
    isLoading = true;
    try {
      const read = await import('./suggestions.js').then((module) => module.readSuggestions);
      list.replaceChildren(...(await read(transport)).map(entry));
    } catch {
      isLoading = false;
    }
  }

  /** @param {Suggestion} suggestion */
  function entry({ label, text }) {
    const button = element('button', { type: 'button', class: 'suggestion', title: label, on: { click: () => choose(text) } }, label);
    return element('li', {}, button);
  }

  /** Puts the text into the composer, where the user completes it; nothing is sent. @param {string} text */
  function choose(text) {
    composer.takeOut(chosen);
    composer.append(text);
    chosen = text;
  }

  return { node, load };
}
