// @ts-check
// The error of a part of the usage page, with a button that tries again.

import { element, isFocusLost } from '../shared/elements.js';
import { NetworkError, errorText } from '../shared/errors.js';

const AWAY = 'This can’t be loaded now.'; // the notice of the page already says that the server can't be reached

/** @param {() => unknown} retry resolves when the new try has ended */
export function createProblem(retry) {
  const text = element('span', { role: 'alert' });
  const button = element('button', { type: 'button', class: 'quiet small', hidden: true, on: { click: again } }, 'Try again');
  const node = element('div', { class: 'usage-problem', hidden: true }, text, ' ', button);

  async function again() {
    await retry();
    const part = node.parentElement;
    if (!node.hidden || !part || !isFocusLost()) return;
    part.tabIndex = -1; // focusable, because the button is hidden now
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
    /** Whether an error is shown that a new try may solve. */
    get isOpen() {
      return !button.hidden;
    },
    /** @param {unknown} error that came when the part was read @param {string} [more] */
    unread: (error, more = '') => say(`${error instanceof NetworkError ? AWAY : errorText(error)}${more}`, true),
    /** @param {unknown} error of an action of the user */
    failed: (error) => say(errorText(error), false),
    clear: () => say('', false),
  };
}
