// The pane in the middle of the chat page: the transcript and the composer of the open chat.

import { titleOf } from './chat-row.js';
import { createComposer } from './composer.js';
import { element } from '../shared/elements.js';
import { createFirstMessage } from './first-message.js';
import { createModelPicker } from './model-picker.js';
import { createQuestions } from './questions.js';
import { createActions, letEscapeStop } from './conversation-actions.js';
import { createTranscript } from './transcript.js';
import { isExpected } from './turn-reader.js';
import { createWelcome } from './welcome.js';

/**
 * @param {object} context
 * @param {import('./chats.js').Chats} context.chats
 * @param {import('../page/drafts.js').Drafts} context.drafts
 * @param {import('../shared/api-transport.js').Transport} context.transport
 * @param {Storage} context.storage
 * @param {import('../shared/records-socket.js').RecordsSocket} context.socket
 * @param {ReturnType<typeof import('./other-tabs.js').createOtherTabs>} context.tabs
 * @param {() => number | null} context.balance
 * @param {(sentence: string) => void} context.announce
 * @param {(chatId: string) => void} context.onCreated
 * @param {(chatId: string) => void} context.onEmpty called for a new chat whose first turn has stored nothing
 * @param {HTMLElement[]} context.tools buttons in the bar
 */
export function createConversationPane({ chats, drafts, transport, storage, socket, tabs, balance, announce, onCreated, onEmpty, tools }) {
  const title = element('h2', { class: 'talk-title' });
  const questions = createQuestions({ transport, balance, announce }, scheduleShow);
  const models = createModelPicker(transport, storage, scheduleShow);
  const actions = createActions({ current: () => conversation, models, send: onSend, retry, transport, drafts, announce });
  const transcript = createTranscript(questions, { actions, socket }, scheduleShow);
  const composer = createComposer({ drafts, modelPicker: models.node, onSend, onStop, onDismiss, lastMessage, leave: transcript.focus });
  const first = createFirstMessage({
    chats,
    drafts,
    now: () => ({ conversation, isDetached }),
    modelId: () => models.modelId,
    composer,
    onChange: scheduleShow,
    onCreated,
    onEmpty,
  });
  const welcome = createWelcome(transport, composer);
  const node = element(
    'section',
    { class: 'pane talk-pane', 'aria-label': 'Conversation and composer' },
    element('div', { class: 'pane-head' }, title, ...tools),
    welcome.node,
    transcript.node,
    composer.node,
  );
  /** @type {import('./conversation.js').Conversation | null} */
  let conversation = null;
  let stopListening = () => {};
  let isDetached = false; // whether the chat of the conversation on the screen was deleted
  let frame = 0;
  let problem = '';
  const stopEscape = letEscapeStop({
    isRunning: () => conversation?.phase === 'asking' && node.checkVisibility(),
    isOurs: composer.owns,
    stop: composer.stop,
  });
  const stopWatchingSocket = socket.onPhase(() => socket.phase === 'open' && readAgain());
  tabs.onReply((chatId) => chatId === conversation?.chatId && watch());
  document.addEventListener('visibilitychange', watch);

  /** Another tab or device may have started a turn. */
  function watch() {
    if (!document.hidden && !isDetached) conversation?.watch();
  }

  /** Reads what may have failed while the connection was lost. */
  function readAgain() {
    models.refresh();
    if (conversation?.phase === 'idle' && conversation.turn) conversation.load(); // the server may have stored its reply
    else conversation?.readMissed();
  }

  /** Renders at most once per frame, however many chunks arrive. */
  function scheduleShow() {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      show();
    });
  }

  function show() {
    const row = conversation && chats.collection.rows[conversation.chatId];
    const name = row ? titleOf(row) : 'New chat';
    if (title.textContent !== name) title.textContent = name; // this runs in each frame of a reply
    const isCreating = first.isCreating() && (!conversation || isDetached);
    const phase = isCreating ? 'stopping' : (conversation?.phase ?? 'idle');
    composer.setBusy(phase === 'asking' || phase === 'stopping', phase === 'stopping');
    const shown = conversation ?? first.shown();
    const hasMessages = Boolean(shown && (shown.messages.length || shown.turn || phase === 'asking'));
    const isUnread = conversation !== null && !conversation.isRead && phase === 'idle'; // reading its messages has failed
    const isNew = !hasMessages && !isUnread;
    const isLoading = phase === 'loading' || (!isNew && !transcript.isReady);
    welcome.node.hidden = !isNew && transcript.isReady;
    welcome.node.classList.toggle('loading', isLoading);
    transcript.node.hidden = !welcome.node.hidden;
    if (!welcome.node.hidden && !isLoading) welcome.load();
    if (shown) transcript.show(shown);
    if (!conversation) return;
    if (conversation.problem !== problem) composer.showProblem(conversation.problem, isExpected(conversation.problem));
    problem = conversation.problem;
    if (conversation.restoredText) composer.putBack(conversation.restoredText);
    if (conversation.storedText) composer.takeOut(conversation.storedText);
    conversation.restoredText = conversation.storedText = '';
  }

  /** @param {string} text */
  async function onSend(text) {
    if (!conversation || isDetached) return first.send(text);
    problem = '';
    return conversation.send(text, models.modelId);
  }

  function onStop() {
    conversation?.stop();
  }

  /** Forgets the dismissed problem, so that it is shown again if it occurs again. */
  function onDismiss() {
    problem = '';
    if (conversation) conversation.problem = '';
  }

  function retry() {
    const text = conversation?.turn?.question.text ?? '';
    if (!isDetached) return conversation?.retry(models.modelId);
    if (first.isCreating()) return undefined;
    composer.takeOut(text);
    return first.send(text);
  }

  function lastMessage() {
    return conversation?.messages.findLast(({ role }) => role === 'user')?.text ?? '';
  }

  /** @param {string} messageId of a message in the open chat */
  async function reveal(messageId) {
    const opened = conversation;
    const reveal = await import('../chat/reveal.js').then((module) => module.reveal);
    if (opened) await reveal(opened, transcript.node, messageId, () => opened === conversation);
  }

  return {
    node,
    reveal,
    models,
    focus: composer.focus,
    composer,
    show: scheduleShow,
    refresh() {
      transcript.refresh();
      models.refresh();
      conversation?.readMissed();
    },
    /** Call this when the chat was deleted. The conversation stays on the screen; the draft becomes that of a new chat. */
    detach() {
      show(); // puts the text back into the composer first: the draft of a chat that is being created may be added after it
      isDetached = true;
      transcript.open(null);
      composer.rename('new');
      scheduleShow();
    },
    /** Whether the chat on the screen was deleted because its first turn stored nothing. */
    get isDetached() {
      return isDetached;
    },
    stop() {
      stopListening();
      cancelAnimationFrame(frame);
      questions.stop();
      transcript.stop();
      stopEscape();
      stopWatchingSocket();
      document.removeEventListener('visibilitychange', watch);
    },
    /** @param {string | null} chatId */
    open(chatId) {
      stopListening();
      isDetached = false;
      transcript.open(chatId);
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
