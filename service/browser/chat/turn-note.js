// A note at the end of a chat about a turn that has failed, or whose connection is lost.

import { element, isFocusLost } from '../shared/elements.js';
import { changesIn, undoTurn } from '../calls/turn-undo.js';

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 * @typedef {import('./message-actions.js').Actions} Actions
 * @typedef {import('./reply-footer.js').ReplyChanges} ReplyChanges
 */

const SEARCHING = 'The connection was lost. Waiting for the reply to continue.';
const INCOMPLETE = 'This reply is incomplete, and was not stored.';
const UNANSWERED = 'This message got no reply.';

/** @param {Actions} actions @param {ReplyChanges} changes */
export function createTurnNote(actions, changes) {
  const text = element('p', { tabindex: '-1' });
  const retry = button('Try again', actions.retry);
  const dismiss = button('Show the earlier messages', actions.dismiss);
  const undo = button('Undo changes', undoChanges);
  const node = element('div', { class: 'turn-note', hidden: true }, text, element('div', { class: 'note-actions' }, retry, dismiss, undo));
  /** @type {Conversation['turn']} */
  let turn = null;
  /** @type {Map<string, import('../calls/turn-undo.js').UndoOutcome>} by turn id: the outcome of undoing its changes */
  const results = new Map();

  async function undoChanges() {
    const { turnId, reply } = turn ?? {};
    if (!turnId || !reply) return;
    const outcome = await undoTurn(turnId, changesIn(changes.of(turnId, reply.parts, showText)), actions.transport);
    if (!outcome) return;
    results.set(turnId, outcome);
    actions.announce(outcome.lines.join(' '));
    if (turn?.turnId !== turnId) return; // another chat is shown by now
    showText();
    if (isFocusLost()) text.focus(); // the button is hidden now
  }

  function showText() {
    if (!turn) return;
    const { turnId = '', reply } = turn;
    const failed = reply.state === 'failed';
    const outcome = results.get(turnId);
    text.textContent = outcome?.lines.join(' ') ?? (failed ? (reply.parts.length ? INCOMPLETE : UNANSWERED) : SEARCHING);
    undo.hidden = !failed || !turnId || Boolean(outcome?.isOver) || !changes.of(turnId, reply.parts, showText).length;
  }

  return {
    node,
    /** @param {Conversation} conversation @param {boolean} isReplacing whether the turn should have replaced stored messages */
    show(conversation, isReplacing) {
      if (conversation.turn === turn && !node.hidden) return;
      turn = conversation.turn;
      const failed = turn?.reply.state === 'failed';
      node.hidden = !failed && !turn?.isLost;
      if (node.hidden || !turn) return;
      showText();
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
