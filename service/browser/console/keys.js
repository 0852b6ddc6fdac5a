// The skip link of the page, `/`, which moves the focus to the search of the view on the screen, and Ctrl+Enter, which
// sends a form from a text of several lines.

import { element } from '../shared/elements.js';
import { isCommand, typesText } from '../shared/typing.js';

export const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

/** @param {HTMLElement} main which holds one view at a time */
export function createKeys(main) {
  main.id = 'main';
  main.tabIndex = -1; // takes the focus from the skip link
  const skip = element('a', { class: 'skip-link', href: '#main', on: { click: skipHeader } }, 'Skip to the content');
  document.addEventListener('keydown', press);

  /** @param {Event} event */
  function skipHeader(event) {
    event.preventDefault(); // the address names the view
    const log = /** @type {HTMLElement | null} */ (main.querySelector('[role=log]'));
    (log?.checkVisibility() ? log : main).focus();
  }

  /** As Enter does in a text of one line: by the button, which may be off. @param {HTMLTextAreaElement} text */
  function send({ form }) {
    const button = [...(form?.elements ?? [])].find((each) => each instanceof HTMLButtonElement && each.type === 'submit');
    /** @type {HTMLButtonElement | undefined} */ (button)?.click();
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const { key, target } = event;
    const isFree = !event.defaultPrevented && !event.isComposing && !event.repeat;
    if (isFree && target instanceof HTMLTextAreaElement && isCommand(event, 'enter')) return send(target);
    const isTyped = target instanceof Element && target.closest(TEXT_FIELDS);
    if (key !== '/' || !typesText(event) || event.defaultPrevented || isTyped || document.querySelector('dialog[open]')) return;
    const fields = [...main.querySelectorAll('input[type=search], .composer textarea')];
    const field = /** @type {HTMLElement | undefined} */ (fields.find((each) => each.checkVisibility()));
    if (!field) return;
    event.preventDefault();
    field.focus();
  }

  return { skip, stop: () => document.removeEventListener('keydown', press) };
}
