// Edits a sent message where it is shown. Escape cancels, Ctrl+Enter sends.

import { element, fitHeight, isOff, setOff } from '../shared/elements.js';
import { newId } from '../shared/ids.js';
import { CONTROL, isComposing } from '../shared/typing.js';

const BUSY = 'You can send when the reply has ended. Escape cancels';

/**
 * @param {object} options
 * @param {string} options.text
 * @param {(text: string) => void} options.onInput
 * @param {(text: string) => void} options.onSend
 * @param {() => void} options.onCancel
 */
export function createMessageEditor({ text, onInput, onSend, onCancel }) {
  const hintId = newId();
  const hint = element('span', { class: 'hint', id: hintId });
  const box = element('textarea', {
    class: 'edit-box',
    'aria-label': 'Edited message',
    'aria-describedby': hintId,
    maxlength: '100000',
    rows: '1',
    value: text,
    on: { input: changed, keydown: press },
  });
  const send = element('button', { type: 'submit', class: 'primary' }, 'Send again');
  const cancel = element('button', { type: 'button', class: 'quiet', on: { click: onCancel } }, 'Cancel');
  const bar = element('div', { class: 'edit-bar' }, hint, cancel, send);
  const node = element('form', { class: 'message-editor', on: { submit } }, box, bar);

  function changed() {
    onInput(box.value);
    fitHeight(box);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (isComposing(event) || event.key !== 'Escape') return; // the keys of the page send the form with Ctrl+Enter
    event.preventDefault();
    event.stopPropagation(); // the same press of Escape must not stop a running reply
    onCancel();
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const edited = box.value.trim();
    if (edited && !isOff(send)) onSend(edited);
  }

  return {
    node,
    focus() {
      fitHeight(box);
      box.focus();
      box.setSelectionRange(box.value.length, box.value.length);
    },
    /** @param {{later: number, isBusy: boolean}} place of the message in its chat; `later` is how many messages come after it */
    update({ later, isBusy }) {
      hint.textContent = isBusy ? BUSY : hintOf(later);
      setOff(send, isBusy);
    },
  };
}

/** @param {number} later */
function hintOf(later) {
  const what = later > 1 ? `Replaces the ${later} messages after it` : 'Replaces the reply to it';
  return `${what}. ${CONTROL}+Enter sends, Escape cancels`;
}
