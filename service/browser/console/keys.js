// Keyboard functions of every page: the skip link, the key `/`, which moves the focus to the search field of the view,
// and Ctrl+Enter, which submits a form from a text area.

import { element } from '../shared/elements.js';
import { isCommand, isComposing, typesText } from '../shared/typing.js';

export const TEXT_FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';

/** @param {HTMLElement} main which holds one view at a time */
export function createKeys(main) {
  main.id = 'main';
  main.tabIndex = -1; // so that the skip link can move the focus here
  const skip = element('a', { class: 'skip-link', href: '#main', on: { click: skipHeader } }, 'Skip to the content');
  document.addEventListener('keydown', press);

  /** @param {Event} event */
  function skipHeader(event) {
    event.preventDefault(); // the hash of the URL holds the route
    const log = /** @type {HTMLElement | null} */ (main.querySelector('[role=log]'));
    (log?.checkVisibility() ? log : main).focus();
  }

  /** Submits a form as Enter does in a one-line field: with its button, which may be off. @param {HTMLTextAreaElement} text */
  function send({ form }) {
    const button = [...(form?.elements ?? [])].find((each) => each instanceof HTMLButtonElement && each.type === 'submit');
    /** @type {HTMLButtonElement | undefined} */ (button)?.click();
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const { key, target } = event;
    const isFree = !event.defaultPrevented && !isComposing(event) && !event.repeat;
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
