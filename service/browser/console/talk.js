// The pane in the middle: transcript and composer of the open chat.

import { titleOf } from './chat-list.js';
import { createComposer } from './composer.js';
import { element } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { createModelPicker } from './model-picker.js';
import { createQuestions } from './questions.js';
import { createTranscript } from './transcript.js';

const SUGGESTIONS = [
  'Which collections are there, and who am I?',
  'Add three tasks',
  'List my tasks',
];

/**
 * @param {object} context
 * @param {import('./chats.js').Chats} context.chats
 * @param {import('./drafts.js').Drafts} context.drafts
 * @param {import('../shared/api-transport.js').Transport} context.transport
 * @param {Storage} context.storage
 * @param {(chatId: string) => void} context.onCreated
 */
export function createTalk({ chats, drafts, transport, storage, onCreated }) {
  const title = element('h2', { class: 'talk-title' });
  const questions = createQuestions(transport);
  const transcript = createTranscript(questions);
  const models = createModelPicker(transport, storage);
  const composer = createComposer({ drafts, modelPicker: models.node, onSend, onStop });
  const welcome = createWelcome(onSend);
  const node = element(
    'section',
    { class: 'pane talk-pane', 'aria-label': 'Conversation and composer' },
    element('div', { class: 'pane-head' }, title),
    welcome,
    transcript.node,
    composer.node,
  );
  /** @type {import('./conversation.js').Conversation | null} */
  let conversation = null;
  let stopListening = () => {};
  let frame = 0;
  let problem = '';

  /** Renders at most once per frame, however many chunks arrive. */
  function scheduleShow() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      show();
    });
  }

  function show() {
    const row = conversation && chats.collection.rows[conversation.chatId];
    title.textContent = row ? titleOf(row) : 'New chat';
    const phase = conversation?.phase ?? 'idle';
    composer.setBusy(phase === 'asking' || phase === 'stopping', phase === 'stopping');
    welcome.hidden = Boolean(conversation && (conversation.messages.length || conversation.turn || phase === 'asking'));
    welcome.classList.toggle('loading', phase === 'loading');
    transcript.node.hidden = !welcome.hidden;
    if (!conversation) return;
    transcript.show(conversation);
    if (conversation.problem !== problem) composer.showProblem(conversation.problem);
    problem = conversation.problem;
    if (conversation.restoredText) composer.putBack(conversation.restoredText);
    if (conversation.storedText) composer.takeOut(conversation.storedText);
    conversation.restoredText = conversation.storedText = '';
  }

  /** @param {string} text */
  async function onSend(text) {
    if (!conversation) return createChatAndSend(text);
    problem = '';
    return conversation.send(text, models.modelId);
  }

  /** Creates the chat for its first message. @param {string} text */
  async function createChatAndSend(text) {
    composer.setBusy(true, true);
    drafts.set('new', text); // until it is stored as the question of a chat
    try {
      const chatId = await chats.create();
      const newDraft = drafts.get('new');
      if (newDraft !== text) drafts.set(chatId, newDraft);
      chats.conversation(chatId).send(text, models.modelId);
      drafts.set('new', '');
      onCreated(chatId);
    } catch (error) {
      composer.setBusy(false, false);
      composer.putBack(text);
      composer.showProblem(errorText(error));
    }
  }

  function onStop() {
    conversation?.stop();
  }

  return {
    node,
    focus: composer.focus,
    composer,
    show: scheduleShow,
    stop: questions.stop,
    /** @param {string | null} chatId */
    open(chatId) {
      stopListening();
      conversation = chatId ? chats.conversation(chatId) : null;
      conversation?.watch();
      stopListening = conversation?.onChange(scheduleShow) ?? (() => {});
      problem = '';
      composer.showProblem('');
      composer.open(chatId ?? 'new');
      show();
    },
  };
}

/** @param {(text: string) => void} onSend */
function createWelcome(onSend) {
  const buttons = SUGGESTIONS.map((text) =>
    element('li', {}, element('button', { type: 'button', class: 'suggestion', on: { click: () => onSend(text) } }, text)),
  );
  return element(
    'div',
    { class: 'welcome' },
    element('p', { class: 'welcome-line' }, 'The assistant reads and changes records with your permissions only.'),
    element('ul', { class: 'suggestions', 'aria-label': 'Suggestions' }, ...buttons),
  );
}
