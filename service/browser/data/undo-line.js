// A line that says what was deleted and offers Undo. It stays until the next deletion, or until the user closes it.

import { element, iconButton } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';

/**
 * @param {(sentence: string) => void} announce reads a sentence to screen readers
 * @param {() => void} leave moves the focus away when the line is closed
 */
export function createUndoLine(announce, leave) {
  const text = element('span', {});
  const button = element('button', { type: 'button', class: 'undo-button', on: { click: undo } }, 'Undo');
  const close = iconButton('cross', 'Close', hide);
  const line = element('div', { class: 'undo-line', hidden: true }, text, button, close);
  const node = element('div', { class: 'undo-place' }, line);
  /** @type {(() => Promise<string>) | null} */
  let act = null;
  let shown = 0; // the number of the text on the line: the result of an older Undo is only announced

  /** @param {string} words */
  function say(words) {
    text.textContent = words;
    announce(words);
  }

  async function undo() {
    const chosen = act;
    if (!chosen) return;
    act = null; // a second click does nothing
    close.focus(); // the button is hidden next
    button.hidden = true;
    const number = shown;
    let words = '';
    try {
      words = await chosen();
    } catch (error) {
      words = `It was not restored. ${errorText(error)}`;
      if (number === shown) {
        act = chosen;
        button.hidden = false;
      }
    }
    if (number === shown) say(words);
    else announce(words);
  }

  function hide() {
    shown += 1;
    line.hidden = true;
    act = null;
    leave();
  }

  return {
    node,
    /** @param {string} words */
    showText(words) {
      shown += 1;
      say(words);
      act = null;
      line.hidden = false;
      button.hidden = true;
    },
    /** @param {string} words @param {() => Promise<string>} undoing resolves to the sentence that is shown then */
    show(words, undoing) {
      shown += 1;
      say(words);
      act = undoing;
      line.hidden = button.hidden = false;
    },
  };
}
