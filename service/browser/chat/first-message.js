// Creates the chat for its first message. Until the message is the question of a chat, it is kept as the draft of a new one.

import { EMPTY_REPLY } from './chat-reducer.js';
import { errorText } from '../shared/errors.js';
import { userMessage } from './messages.js';

const NOT_SENT = 'Your message to a new chat was not sent. It is kept there as a draft.'; // shown in another chat

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 *
 * @typedef {object} Pane what the first message changes in the conversation pane
 * @property {() => {conversation: Conversation | null, isDetached: boolean}} now what is on the screen
 * @property {() => string} modelId of the selected model
 * @property {ReturnType<typeof import('./composer.js').createComposer>} composer
 * @property {() => void} onChange
 * @property {(chatId: string) => void} onCreated
 * @property {(chatId: string) => void} onEmpty called for a new chat whose first turn has stored nothing
 *
 * @param {Pane & {chats: import('./chats.js').Chats, drafts: import('../page/drafts.js').Drafts}} pane
 */
export function createFirstMessage({ chats, drafts, now, modelId, composer, onChange, onCreated, onEmpty }) {
  let shown = /** @type {Conversation | null} */ (null); // what stands for the chat while it is being created
  let creating = 0; // how many chats are being created for first messages; until then, the composer sends nothing else

  /** @param {string} text */
  async function send(text) {
    const opened = now().conversation;
    const isHere = () => now().conversation === opened || !now().conversation; // false if another chat is shown by now
    creating += 1;
    shown = standIn(text);
    onChange();
    composer.setBusy(true, true);
    const beside = drafts.get('new'); // the draft beside a message that is being sent again
    const kept = [text, beside].filter(Boolean).join('\n\n');
    drafts.set('new', kept);
    try {
      const chatId = await chats.create();
      const created = chats.conversation(chatId);
      const turn = created.send(text, modelId());
      if (isHere() || !now().isDetached) moveDraft(chatId, kept, beside);
      else composer.takeOut(text); // the text after it stays: it belongs to the conversation on the screen, whose chat was deleted
      if (isHere()) onCreated(chatId);
      turn.then(() => created === now().conversation && isEmpty(created) && onEmpty(chatId));
    } catch (error) {
      if (!isHere() && !now().isDetached) {
        keepForNewChat(text, kept);
        return composer.showProblem(`${NOT_SENT} ${errorText(error)}`);
      }
      composer.setBusy(false, false);
      composer.putBack(text);
      composer.showProblem(errorText(error));
    } finally {
      creating -= 1;
      if (!creating) shown = null;
      onChange();
    }
  }

  /**
   * Moves the draft of a new chat to the created chat.
   * @param {string} chatId @param {string} kept the draft at the time of sending @param {string} beside its text
   *   without the message that was sent
   */
  function moveDraft(chatId, kept, beside) {
    const newDraft = drafts.get('new');
    drafts.set(chatId, newDraft === kept ? beside : newDraft);
    drafts.set('new', '');
  }

  /** Keeps a text that could not be sent in the draft of a new chat. @param {string} text @param {string} kept the draft with the text at the time of sending */
  function keepForNewChat(text, kept) {
    const typed = drafts.get('new');
    if (typed !== kept) drafts.set('new', [text, typed].filter(Boolean).join('\n\n'));
  }

  return {
    send,
    /** Whether a chat is being created. */
    isCreating: () => creating > 0,
    /** @returns {Conversation | null} the message as a conversation, while its chat is being created */
    shown: () => shown,
  };
}

/** @param {string} text @returns {Conversation} with nothing but a message that waits for its chat */
function standIn(text) {
  const turn = { question: userMessage('first', text), reply: EMPTY_REPLY, isLost: false };
  return /** @type {any} */ ({ chatId: '', phase: 'asking', messages: [], earlier: null, turn, problem: '' });
}

/**
 * Whether a chat has no content and can be deleted. A chat with calls is kept even if its turn has failed: the next
 * try of the same message must find what the calls have changed.
 * @param {Conversation} conversation
 */
function isEmpty({ phase, messages, turn, nothingStored }) {
  const hasCalled = turn?.reply.parts.some(({ kind }) => kind === 'call');
  return phase === 'idle' && nothingStored && !messages.length && !hasCalled;
}
