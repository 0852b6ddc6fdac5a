// A note at the end of a chat about a turn that has left nothing, or whose connection is lost.

import { element, isFocusLost } from '../shared/elements.js';
import { writesIn } from './message-actions.js';
import { undoTurn } from './turn-undo.js';

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 * @typedef {import('./message-actions.js').Actions} Actions
 */

const SEARCHING = 'The connection was lost. Waiting for the reply to go on.';
const INCOMPLETE = 'This reply is incomplete, and was not stored.';
const UNANSWERED = 'This message was not answered.';

/** @param {Actions} actions */
export function createTurnNote(actions) {
  const text = element('p', { tabindex: '-1' });
  const retry = button('Try again', actions.retry);
  const dismiss = button('Show the earlier messages', actions.dismiss);
  const undo = button('Undo changes', takeBack);
  const node = element('div', { class: 'turn-note', hidden: true }, text, element('div', { class: 'note-actions' }, retry, dismiss, undo));
  /** @type {Conversation['turn']} */
  let turn = null;
  /** @type {Map<string, import('./turn-undo.js').Told>} what taking back the changes of a turn has come to */
  const results = new Map();

  async function takeBack() {
    const { turnId, reply } = turn ?? {};
    if (!turnId || !reply) return;
    const told = await undoTurn(turnId, writesIn(reply.parts), actions.transport);
    if (!told) return;
    results.set(turnId, told);
    actions.announce(told.lines.join(' '));
    if (turn?.turnId !== turnId) return; // another chat is shown by now
    tell();
    if (isFocusLost()) text.focus(); // the button is gone
  }

  function tell() {
    const { turnId = '', reply } = /** @type {NonNullable<typeof turn>} */ (turn);
    const failed = reply.state === 'failed';
    const told = results.get(turnId);
    text.textContent = told?.lines.join(' ') ?? (failed ? (reply.parts.length ? INCOMPLETE : UNANSWERED) : SEARCHING);
    undo.hidden = !failed || !turnId || Boolean(told?.isOver) || !writesIn(reply.parts).length;
  }

  return {
    node,
    /** @param {Conversation} conversation @param {boolean} isReplacing whether its turn was to replace stored messages */
    show(conversation, isReplacing) {
      if (conversation.turn === turn && !node.hidden) return;
      turn = conversation.turn;
      const failed = turn?.reply.state === 'failed';
      node.hidden = !failed && !turn?.isLost;
      if (node.hidden || !turn) return;
      tell();
      node.classList.toggle('failed', failed);
      retry.hidden = !failed || Boolean(turn.isElsewhere);
      dismiss.hidden = !failed || !isReplacing;
    },
  };
}

/** @param {string} label @param {() => void} act */
function button(label, act) {
  return element('button', { type: 'button', class: 'quiet small', on: { click: act } }, label);
}
