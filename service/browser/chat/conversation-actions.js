// Carries out the actions of the messages in the open chat, and lets Escape stop its reply.

import { requestConfirmation } from '../page/confirm-dialog.js';
import { isComposing } from '../shared/typing.js';

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 * @typedef {import('./message-actions.js').Actions} Actions
 */

const GO_ON = 'Continue.';

/**
 * @param {object} context
 * @param {() => Conversation | null} context.current
 * @param {ReturnType<typeof import('./model-picker.js').createModelPicker>} context.models
 * @param {(text: string) => void} context.send
 * @param {() => void} context.retry
 * @param {import('../shared/api-transport.js').Transport} context.transport
 * @param {import('../page/drafts.js').Drafts} context.drafts
 * @param {(sentence: string) => void} context.announce
 * @returns {Actions}
 */
export function createActions({ current, models, send, ...rest }) {
  /** @param {number} later how many messages are replaced @param {(conversation: Conversation) => Promise<void>} act */
  async function replace(later, act) {
    if (later > 1 && !(await requestConfirmation(question(later)))) return false;
    const conversation = current();
    if (conversation?.phase !== 'idle') return false;
    act(conversation);
    return true;
  }

  return {
    ...rest,
    edit: (id, text, later) => replace(later, (conversation) => conversation.edit(id, text, models.modelId)),
    regenerate: (id, later, modelId) => replace(later, (conversation) => conversation.regenerate(id, modelId ?? models.modelId)),
    dismiss: () => current()?.dismiss(),
    goOn: () => send(GO_ON),
    models: () => models.usable,
  };
}

/** @param {number} later */
function question(later) {
  return {
    title: `Replace ${later} messages?`,
    text: `The ${later} messages after this one are deleted once the new reply is stored. This can’t be undone. Records that the assistant has changed stay as they are.`,
    action: 'Replace',
  };
}

/**
 * @param {{isRunning: () => boolean, isOurs: (target: EventTarget | null) => boolean, stop: () => void}} reply
 *   `isOurs` tells whether a text field is the composer: in other fields, Escape has another meaning
 * @returns {() => void} removes the listener
 */
export function letEscapeStop({ isRunning, isOurs, stop }) {
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event) || !isRunning()) return;
    if (document.querySelector('dialog[open], :popover-open')) return;
    const { target } = event;
    const isField = target instanceof Element && target.matches('input, textarea, select');
    if (!isField || isOurs(target)) stop();
  }

  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}
