// @ts-check
// What went wrong on a page of the usage, and the button that reads it again.

import { element, isFocusLost } from '../shared/elements.js';
import { NetworkError, errorText } from '../shared/errors.js';

const AWAY = 'This can’t be read now.'; // the page says for all its parts that the server can't be reached

/** @param {() => unknown} retry resolves once it was read, or not */
export function createProblem(retry) {
  const text = element('span', { role: 'alert' });
  const button = element('button', { type: 'button', class: 'quiet small', hidden: true, on: { click: again } }, 'Try again');
  const node = element('div', { class: 'usage-problem', hidden: true }, text, ' ', button);

  async function again() {
    await retry();
    const part = node.parentElement;
    if (!node.hidden || !part || !isFocusLost()) return;
    part.tabIndex = -1; // the button is gone
    part.focus({ preventScroll: true });
  }

  /** @param {string} words @param {boolean} canRetry */
  function say(words, canRetry) {
    text.textContent = words;
    button.hidden = !canRetry;
    node.hidden = words === '';
  }

  return {
    node,
    /** Whether the page could not be read. */
    get isOpen() {
      return !button.hidden;
    },
    /** @param {unknown} error of reading the page @param {string} [more] */
    unread: (error, more = '') => say(`${error instanceof NetworkError ? AWAY : errorText(error)}${more}`, true),
    /** @param {unknown} error of something that the user did */
    failed: (error) => say(errorText(error), false),
    clear: () => say('', false),
  };
}
