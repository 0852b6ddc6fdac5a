// The actions of the user's own messages: copy, or edit and send again.

import { createActionBar } from './action-bar.js';
import { createCopyButton } from './copy-button.js';
import { iconButton, setOff } from '../shared/elements.js';
import { createMessageEditor } from './message-editor.js';
import { markdownOf } from './message-text.js';

/**
 * @typedef {import('./message-actions.js').Actions} Actions
 * @typedef {import('./message-actions.js').Place} Place
 * @typedef {import('./messages.js').Message} Message
 */

/** @param {HTMLElement} body of the message @param {Actions} actions */
export function createOwnActions(body, actions) {
  /** @type {Message | null} */
  let message = null;
  /** @type {Place | null} */
  let place = null;
  /** @type {ReturnType<typeof createMessageEditor> | null} */
  let editor = null;
  const copy = createCopyButton('copy', 'Copy', () => (message ? markdownOf(message) : ''), actions.announce);
  const edit = iconButton('pencil', 'Edit', startEditing);
  const bar = createActionBar('Your message', [copy, edit]);

  function startEditing() {
    if (!message || !place || place.isBusy) return;
    const { id } = message;
    editor = createMessageEditor({
      text: actions.drafts.get(`edit:${id}`) || message.text,
      onInput: (text) => actions.drafts.set(`edit:${id}`, text),
      onSend: send,
      onCancel: cancel,
    });
    editor.update(place);
    body.after(editor.node);
    setEditing(true);
    editor.focus();
  }

  /** @param {string} text */
  async function send(text) {
    if (!message || !place || place.isBusy) return;
    const unchanged = text === message.text;
    if (!(await (unchanged ? actions.regenerate(message.id, place.later) : actions.edit(message.id, text, place.later)))) return;
    actions.drafts.set(`edit:${message.id}`, '');
    close();
  }

  function cancel() {
    if (message) actions.drafts.set(`edit:${message.id}`, '');
    close();
  }

  function close() {
    const hadFocus = editor?.node.contains(document.activeElement);
    editor?.node.remove();
    editor = null;
    setEditing(false);
    if (hadFocus) edit.focus();
  }

  /** @param {boolean} editing */
  function setEditing(editing) {
    body.hidden = editing;
    bar.node.hidden = editing;
  }

  return {
    node: bar.node,
    /** @param {Message} next @param {Place} at */
    update(next, at) {
      message = next;
      place = at;
      edit.hidden = !at.isStored;
      setOff(edit, at.isBusy);
      editor?.update(at);
      bar.update();
    },
  };
}
