// What has been said in a chat. Screen readers hear "Answer ready" once, not each word of a reply.

import { arrange, element, icon } from './elements.js';
import { createMessageView } from './message-view.js';
import { replyTo } from './messages.js';

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 * @typedef {import('./messages.js').Message} Message
 */

const INCOMPLETE = 'This reply is incomplete.';
const STOPPED = 'This reply was stopped.';
const NEAR = 60; // pixels from the end that still count as reading along

export function createTranscript() {
  const list = element('div', { class: 'messages' });
  const earlier = button('quiet', 'Show earlier messages');
  const waiting = element('p', { class: 'waiting', hidden: true }, 'Thinking');
  const note = element('p', { class: 'turn-note', hidden: true });
  const log = element(
    'div',
    // Off for good: history that loads is not news either.
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
  let shown = null;
  /** @type {string | undefined} */
  let question;

  const distance = () => log.scrollHeight - log.scrollTop - log.clientHeight;
  const toEnd = () => log.scrollTo({ top: log.scrollHeight, behavior: 'instant' });
  let atEnd = true;
  log.addEventListener('scroll', () => log.clientHeight && look()); // a hidden pane is at its top
  const sizes = new ResizeObserver((changes) => {
    if (!log.clientHeight) return;
    if (atEnd && changes.some(({ target }) => target === log)) toEnd();
    look(); // what a call unfolds is longer, and is read from where it was opened
  });
  sizes.observe(log);
  sizes.observe(list);
  jump.addEventListener('click', () => {
    toEnd();
    log.focus();
  });
  earlier.addEventListener('click', async () => {
    const below = log.scrollHeight;
    await shown?.loadEarlier();
    log.scrollTop += log.scrollHeight - below;
  });

  function look() {
    atEnd = distance() < NEAR;
    jump.hidden = atEnd;
  }

  /** @param {Message[]} messages @param {number} unsaved how many, at the end, are of a failed turn */
  function place(messages, unsaved) {
    const keys = new Set(messages.map(keyOf));
    for (const [key, view] of views) {
      if (keys.has(key)) continue;
      view.node.remove();
      views.delete(key);
    }
    const nodes = messages.map((message, at) => {
      const view = views.get(keyOf(message)) ?? createMessageView(message.role);
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
      const asked = turn?.question.id;
      const follow = conversation !== shown || (asked && asked !== question) || atEnd;
      shown = conversation;
      question = asked;
      const failed = turn?.reply.state === 'failed';
      place(messagesOf(conversation), failed ? (turn?.reply.parts.length ? 2 : 1) : 0);
      earlier.hidden = !conversation.earlier;
      waiting.hidden = phase === 'idle' || phase === 'loading' || !silent(turn);
      note.textContent = noteOf(conversation);
      note.hidden = !note.textContent;
      log.setAttribute('aria-busy', String(phase === 'asking' || phase === 'stopping'));
      if (follow) toEnd();
      look();
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
  const stored = messages.filter((message) => message.id !== question.id);
  const coming = reply.parts.length ? [replyTo(question, reply.parts)] : [];
  return [...stored, question, ...coming];
}

/** @param {Conversation} conversation what there is to say of the last reply */
function noteOf({ messages, turn, stopped }) {
  if (turn) return turn.reply.state === 'failed' && turn.reply.parts.length ? INCOMPLETE : '';
  const asked = messages.findLast(({ role }) => role === 'user');
  return asked && asked.id === stopped ? STOPPED : '';
}

/** @param {Message} message */
const keyOf = (message) => message.key ?? message.id;

/** @param {Conversation['turn']} turn whether nothing shows yet that the assistant is at work */
function silent(turn) {
  const last = turn?.reply.parts.at(-1);
  return !last || (last.kind === 'call' && last.state !== 'preparing' && last.state !== 'running');
}
