// The messages of a chat. Screen readers announce "Answer ready" once, not each word of a reply.

import { arrange, element, icon } from '../shared/elements.js';
import { createMessageView } from './message-view.js';
import { replyTo } from './messages.js';

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 * @typedef {import('./messages.js').Message} Message
 */

const INCOMPLETE = 'This reply is incomplete.';
const STOPPED = 'This reply was stopped.';
const SEARCHING = 'The connection was lost. Waiting for the reply to go on.';
const LOST = 'The connection was lost. This is what was stored of the reply.';
const NEAR = 60; // pixels from the end within which new text is followed

/** @param {ReturnType<typeof import('./questions.js').createQuestions>} questions */
export function createTranscript(questions) {
  const list = element('div', { class: 'messages' });
  const earlier = button('quiet', 'Show earlier messages');
  const waiting = element('p', { class: 'waiting', hidden: true }, 'Thinking');
  const note = element('p', { class: 'turn-note', hidden: true });
  const log = element(
    'div',
    // Always off: loading the history must not be announced either.
    { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': 'Conversation', tabindex: '0' },
    earlier,
    list,
    waiting,
    note,
  );
  const jump = button('jump', icon('down'), 'Newest');
  const node = element('div', { class: 'transcript' }, log, jump);
  /** @type {Map<string, {node: HTMLElement, update: (parts: any) => void}>} */
  const views = new Map();
  /** @type {Conversation | null} */
  let current = null;
  /** @type {string | undefined} */
  let question;

  const distance = () => log.scrollHeight - log.scrollTop - log.clientHeight;
  const toEnd = () => log.scrollTo({ top: log.scrollHeight, behavior: 'instant' });
  let atEnd = true;
  let height = 0; // of the log, when that was measured
  log.addEventListener('scroll', () => log.clientHeight && updatePosition()); // a hidden pane reports the top
  const sizes = new ResizeObserver((changes) => {
    if (!log.clientHeight) return;
    if (atEnd && changes.some(({ target }) => target === log)) toEnd();
    updatePosition(); // an opened tool call makes the log longer but does not scroll it
  });
  sizes.observe(log);
  sizes.observe(list);
  jump.addEventListener('click', () => {
    toEnd();
    log.focus();
  });
  earlier.addEventListener('click', async () => {
    const below = log.scrollHeight;
    await current?.loadEarlier();
    log.scrollTop += log.scrollHeight - below;
  });

  function updatePosition() {
    atEnd = distance() < NEAR;
    height = log.clientHeight;
    jump.hidden = atEnd;
  }

  // A tool call that was opened just now is not measured yet. A log of another height still is at its end.
  const isAtEnd = () => atEnd && (log.clientHeight !== height || distance() < NEAR);

  /**
   * @param {Message[]} messages @param {number} unsaved how many messages at the end belong to a failed turn
   * @param {string} chatId
   */
  function place(messages, unsaved, chatId) {
    const keys = new Set(messages.map(keyOf));
    for (const [key, view] of views) {
      if (keys.has(key)) continue;
      view.node.remove();
      views.delete(key);
    }
    const nodes = messages.map((message, at) => {
      const view = views.get(keyOf(message)) ?? createMessageView(message.role, questions.cardsOf(chatId));
      views.set(keyOf(message), view);
      view.update(message.parts);
      view.node.classList.toggle('unsaved', at >= messages.length - unsaved);
      return view.node;
    });
    arrange(list, nodes);
  }

  return {
    node,
    /** @param {Conversation} conversation */
    show(conversation) {
      const { turn, phase } = conversation;
      const questionId = turn?.question.id;
      const follow = conversation !== current || (questionId && questionId !== question) || isAtEnd();
      current = conversation;
      question = questionId;
      const failed = turn?.reply.state === 'failed';
      place(messagesOf(conversation), failed ? (turn?.reply.parts.length ? 2 : 1) : 0, conversation.chatId);
      earlier.hidden = !conversation.earlier;
      waiting.hidden = phase === 'idle' || phase === 'loading' || !showsNothing(turn);
      note.textContent = noteOf(conversation);
      note.hidden = !note.textContent;
      log.setAttribute('aria-busy', String(phase === 'asking' || phase === 'stopping'));
      if (follow) toEnd();
      updatePosition();
    },
  };
}

/** @param {string} kind @param {...(Node | string)} label */
function button(kind, ...label) {
  return element('button', { type: 'button', class: kind, hidden: true }, ...label);
}

/** @param {Conversation} conversation @returns {Message[]} */
function messagesOf({ messages, turn }) {
  if (!turn) return messages;
  const { question, reply } = turn;
  const answer = replyTo(question, reply.parts);
  const stored = messages.filter(({ id, key }) => id !== question.id && key !== answer.key); // of an earlier attempt
  return [...stored, ...(question.id ? [question] : []), ...(reply.parts.length ? [answer] : [])];
}

/** @param {Conversation} conversation a note about the last reply */
function noteOf({ messages, turn, stoppedId, lostId }) {
  if (turn?.isLost) return SEARCHING;
  if (turn) return turn.reply.state === 'failed' && turn.reply.parts.length ? INCOMPLETE : '';
  const lastQuestion = messages.findLast(({ role }) => role === 'user');
  if (!lastQuestion) return '';
  if (lastQuestion.id === lostId) return LOST;
  return lastQuestion.id === stoppedId ? STOPPED : '';
}

/** @param {Message} message */
const keyOf = (message) => message.key ?? message.id;

/** @param {Conversation['turn']} turn whether nothing on the screen shows that the assistant is working */
function showsNothing(turn) {
  // A question says nothing of whether its call still runs.
  const last = turn?.reply.parts.findLast(({ kind }) => kind === 'text' || kind === 'call');
  return !last || (last.kind === 'call' && last.state !== 'preparing' && last.state !== 'running');
}
