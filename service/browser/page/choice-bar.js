// A row of buttons, one of which is pressed.

import { element } from '../shared/elements.js';

/**
 * @param {string} label @param {string[]} names
 * @param {(name: string) => boolean | void} choose returns false to keep the button that was pressed before
 */
export function createChoiceBar(label, names, choose) {
  const buttons = names.map((name) => element('button', { type: 'button', on: { click: () => pick(name) } }, name));
  /** @param {string} name */
  function pick(name) {
    if (choose(name) !== false) press(name);
  }

  /** @param {string} name */
  function press(name) {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.textContent === name));
  }

  press(names[0]);
  return { node: element('div', { class: 'choice-bar', role: 'group', 'aria-label': label }, ...buttons), press };
}
