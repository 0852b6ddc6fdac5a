// The conversation in the middle: transcript and composer of the chat that is open.

import { titleOf } from './chat-list.js';
import { createComposer } from './composer.js';
import { element } from './elements.js';
import { inWords } from './errors.js';
import { createModelPicker } from './model-picker.js';
import { createTranscript } from './transcript.js';

const SUGGESTIONS = [
  'Which collections are there, and who am I?',
  'Add three tasks',
  'List my tasks',
];

/**
 * @param {object} world
 * @param {import('./chats.js').Chats} world.chats
 * @param {import('./drafts.js').Drafts} world.drafts
 * @param {import('./api-transport.js').Transport} world.transport
 * @param {Storage} world.storage
 * @param {(chatId: string) => void} world.onCreated
 */
export function createTalk({ chats, drafts, transport, storage, onCreated }) {
  const title = element('h2', { class: 'talk-title' });
  const transcript = createTranscript();
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

  /** Many chunks come in one frame; they are drawn once. */
  function draw() {
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
    welcome.hidden = Boolean(conversation && (conversation.messages.length || conversation.turn));
    welcome.classList.toggle('loading', phase === 'loading');
    transcript.node.hidden = !welcome.hidden;
    if (!conversation) return;
    transcript.show(conversation);
    if (conversation.problem !== problem) composer.showProblem(conversation.problem);
    problem = conversation.problem;
    if (conversation.returned) composer.putBack(conversation.returned);
    if (conversation.stored) composer.takeOut(conversation.stored);
    conversation.returned = conversation.stored = '';
  }

  /** @param {string} text */
  async function onSend(text) {
    if (!conversation) return begin(text);
    problem = '';
    return conversation.send(text, models.modelId);
  }

  /** The first message makes its chat. @param {string} text */
  async function begin(text) {
    composer.setBusy(true, true);
    drafts.set('new', text); // until it is held as the question of a chat
    try {
      const chatId = await chats.create();
      const since = drafts.get('new');
      if (since !== text) drafts.set(chatId, since);
      chats.conversation(chatId).send(text, models.modelId);
      drafts.set('new', '');
      onCreated(chatId);
    } catch (error) {
      composer.setBusy(false, false);
      composer.putBack(text);
      composer.showProblem(inWords(error));
    }
  }

  function onStop() {
    conversation?.stop();
  }

  return {
    node,
    focus: composer.focus,
    composer,
    show: draw,
    /** @param {string | null} chatId */
    open(chatId) {
      stopListening();
      conversation = chatId ? chats.conversation(chatId) : null;
      stopListening = conversation?.onChange(draw) ?? (() => {});
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
    element('p', { class: 'welcome-line' }, 'The assistant reads and changes records with your rights, and yours only.'),
    element('ul', { class: 'suggestions', 'aria-label': 'Suggestions' }, ...buttons),
  );
}
