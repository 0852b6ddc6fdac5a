// Says what was deleted and offers to undo it. It stays until the next deletion, or until it is closed.

import { element, iconButton } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';

/**
 * @param {(sentence: string) => void} announce to screen readers
 * @param {() => void} leave takes the focus when the line is closed
 */
export function createUndoLine(announce, leave) {
  const text = element('span', {});
  const button = element('button', { type: 'button', class: 'undo-button', on: { click: undo } }, 'Undo');
  const close = iconButton('cross', 'Close', hide);
  const line = element('div', { class: 'undo-line', hidden: true }, text, button, close);
  const node = element('div', { class: 'undo-place' }, line);
  /** @type {(() => Promise<string>) | null} */
  let act = null;
  let told = 0; // an undoing that ends after something else was told is announced only

  /** @param {string} words */
  function say(words) {
    text.textContent = words;
    announce(words);
  }

  async function undo() {
    const chosen = act;
    if (!chosen) return;
    act = null; // a second click does nothing
    close.focus(); // the button goes
    button.hidden = true;
    const number = told;
    let words = '';
    try {
      words = await chosen();
    } catch (error) {
      words = `It was not restored. ${errorText(error)}`;
      if (number === told) {
        act = chosen;
        button.hidden = false;
      }
    }
    if (number === told) say(words);
    else announce(words);
  }

  function hide() {
    told += 1;
    line.hidden = true;
    act = null;
    leave();
  }

  return {
    node,
    /** @param {string} words */
    tell(words) {
      told += 1;
      say(words);
      act = null;
      line.hidden = false;
      button.hidden = true;
    },
    /** @param {string} words @param {() => Promise<string>} undoing resolves to what is said then */
    show(words, undoing) {
      told += 1;
      say(words);
      act = undoing;
      line.hidden = button.hidden = false;
    },
  };
}
