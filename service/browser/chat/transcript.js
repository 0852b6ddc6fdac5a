// The messages of a chat. Screen readers announce "Reply ready" once, not each word of a reply.

import { arrange, element, icon, isFocusLost } from '../shared/elements.js';
import { createMessageView } from './message-view.js';
import { messagesBefore, replyTo } from './messages.js';
import { createLazyControls } from './lazy-controls.js';
import { loadMarkdown } from '../shared/markdown.js';

/**
 * @typedef {import('./conversation.js').Conversation} Conversation
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./message-view.js').MessageView} MessageView
 */

const NEAR = 60; // pixels from the end; within this distance, the log scrolls with new text
const LATE = 1500; // ms; after this, messages are shown even if modules are still being loaded

/**
 * @param {ReturnType<typeof import('./questions.js').createQuestions>} questions
 * @param {Omit<Parameters<typeof createLazyControls>[0], 'list'>} context
 * @param {() => void} onChange called when the transcript must be drawn again
 */
export function createTranscript(questions, context, onChange) {
  const list = element('div', { class: 'messages' });
  const earlier = button('quiet', 'Show earlier messages');
  const waiting = element('p', { class: 'waiting', hidden: true }, 'Thinking');
  const controls = createLazyControls({ ...context, list }, onChange);
  const log = element(
    'div',
    // Always off, because screen readers must not read out the history either.
    { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': 'Conversation', tabindex: '0' },
    earlier,
    list,
    waiting,
  );
  const jump = button('jump', icon('down'), 'Jump to latest');
  const node = element('div', { class: 'transcript' }, log, jump);
  /** @type {Map<string, MessageView>} */
  const views = new Map();
  /** @type {Conversation | null} */
  let current = null;
  /** @type {string | undefined} */
  let question;
  let isOpened = false;
  let isReady = false;
  const end = followEnd(log, list, jump);
  earlier.addEventListener('click', showEarlier);

  async function showEarlier() {
    await current?.loadEarlier();
    const [first] = list.children;
    const top = first?.getBoundingClientRect().top;
    await new Promise(requestAnimationFrame); // the earlier messages are drawn in the next frame, above the first one
    await nextLayout(list); // until then they have the height of `contain-intrinsic-height`
    if (first?.isConnected) log.scrollTop += first.getBoundingClientRect().top - top;
    if (earlier.hidden && isFocusLost()) log.focus({ preventScroll: true }); // there are no earlier messages, so the button is hidden
  }

  /** @param {Conversation} conversation */
  function place(conversation) {
    const { chatId, turn } = conversation;
    const messages = messagesOf(conversation);
    const stored = messages.length - messagesIn(turn);
    const failed = turn?.reply.state === 'failed';
    const places = new Map(conversation.messages.map(({ id }, at) => [id, at]));
    const hasModels = context.actions.models().length > 1;
    removeOthers(messages);
    const nodes = messages.map((message, at) => {
      const view = viewOf(message, chatId);
      const isStored = at < stored;
      const question = message.role === 'user' ? message : messages[at - 1];
      const turnOf = controls.now?.turns.of(message.id) ?? null;
      const place = { ...placeOf(message, question, conversation, places), isStored, hasModels, turn: turnOf };
      view.update(message, place, controls.now);
      view.node.classList.toggle('unsaved', failed && !isStored);
      view.node.dataset.message = message.id;
      return view.node;
    });
    arrange(list, nodes);
  }

  /** @param {Message[]} messages whose views stay */
  function removeOthers(messages) {
    const keys = new Set(messages.map(keyOf));
    for (const [key, view] of views) {
      if (keys.has(key)) continue;
      view.stop();
      view.node.remove();
      views.delete(key);
    }
  }

  /** @param {Message} message @param {string} chatId */
  function viewOf(message, chatId) {
    const view = views.get(keyOf(message)) ?? createMessageView(message.role, questions.cardsOf(chatId));
    views.set(keyOf(message), view);
    return view;
  }

  /** @param {Conversation} conversation */
  function showNote(conversation) {
    const note = controls.now?.note;
    if (!note) return;
    if (!note.node.parentNode) log.append(note.node);
    note.show(conversation, isStored(conversation, conversation.turn?.question.id));
  }

  /** @param {string | null} chatId whose turns are shown */
  async function open(chatId) {
    const loaded = [controls.open(chatId), loadMarkdown()];
    if (isOpened) return;
    isOpened = true;
    await Promise.race([Promise.allSettled(loaded), new Promise((resolve) => setTimeout(resolve, LATE))]);
    isReady = true;
    onChange();
  }

  return {
    node,
    open,
    focus: () => log.focus({ preventScroll: true }),
    /** Whether all modules that affect the height of messages are loaded, so that shown messages do not move. */
    get isReady() {
      return isReady;
    },
    refresh: controls.refresh,
    stop() {
      controls.stop();
      for (const view of views.values()) view.stop();
    },
    /** @param {Conversation} conversation */
    show(conversation) {
      const { turn, phase } = conversation;
      const questionId = turn?.question.id;
      const follow = conversation !== current || (questionId && questionId !== question) || end.isInView();
      current = conversation;
      question = questionId;
      const hadFocus = list.contains(document.activeElement);
      place(conversation);
      if (hadFocus && isFocusLost()) log.focus({ preventScroll: true }); // the focused button has disappeared with the old reply
      earlier.hidden = !conversation.earlier;
      waiting.hidden = phase === 'idle' || phase === 'loading' || !showsNothing(turn);
      showNote(conversation);
      log.setAttribute('aria-busy', String(phase === 'asking' || phase === 'stopping'));
      if (follow) end.show();
      end.update();
    },
  };
}

/**
 * Keeps the end of a log in view while the log grows, until the user scrolls away from it.
 * @param {HTMLElement} log @param {HTMLElement} list its content @param {HTMLElement} jump the button that scrolls to the end
 */
function followEnd(log, list, jump) {
  let atEnd = true;
  let height = 0; // the height of the log at the last measurement
  const distance = () => log.scrollHeight - log.scrollTop - log.clientHeight;
  const show = () => log.scrollTo({ top: log.scrollHeight, behavior: 'instant' });

  function update() {
    atEnd = distance() < NEAR;
    height = log.clientHeight;
    jump.hidden = atEnd;
  }

  log.addEventListener('scroll', () => log.clientHeight && update()); // a hidden pane reports the position 0
  const sizes = new ResizeObserver((changes) => {
    if (!log.clientHeight) return;
    if (atEnd && changes.some(({ target }) => target === log)) show();
    update(); // an opened tool call makes the log longer but does not scroll it
  });
  sizes.observe(log);
  sizes.observe(list);
  list.addEventListener('rendered', () => atEnd && show()); // a text was shown without Markdown until now
  jump.addEventListener('click', () => {
    show();
    log.focus();
  });
  return {
    show,
    update,
    // A tool call that was just opened has not been measured yet. A log whose own height has changed still counts as at its end.
    isInView: () => atEnd && (log.clientHeight !== height || distance() < NEAR),
  };
}

/** Waits until the next layout of an element, but not until it is painted. @param {Element} node @returns {Promise<void>} */
function nextLayout(node) {
  return new Promise((resolve) => {
    const observer = new ResizeObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(node);
  });
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
  return [...messagesBefore(messages, question), ...(question.id ? [question] : []), ...(reply.parts.length ? [answer] : [])];
}

/** How many of the messages that are shown belong to a turn that runs or has failed. @param {Conversation['turn']} turn */
function messagesIn(turn) {
  return turn ? Number(Boolean(turn.question.id)) + Number(turn.reply.parts.length > 0) : 0;
}

/** @param {Conversation} conversation @param {string | undefined} messageId */
function isStored({ messages }, messageId) {
  return messages.some(({ id }) => id === messageId);
}

/**
 * @param {Message} message @param {Message | undefined} question the message itself, or the message that it answers
 * @param {Conversation} conversation @param {Map<string, number>} places of the stored messages, by id
 */
function placeOf(message, question, { messages, turn, phase }, places) {
  const at = places.get(question?.id ?? '');
  return {
    isLast: !turn && message.id === messages.at(-1)?.id,
    isBusy: phase !== 'idle',
    later: at === undefined ? 0 : messages.length - 1 - at,
    questionId: question?.role === 'user' ? question.id : '',
  };
}

/** @param {Message} message */
const keyOf = (message) => message.key ?? message.id;

/** @param {Conversation['turn']} turn whether nothing on the screen shows that the assistant is working */
function showsNothing(turn) {
  // A part with a question does not show whether its call still runs, and the newest call may end before earlier ones.
  const parts = turn?.reply.parts ?? [];
  const isRunning = parts.some((part) => part.kind === 'call' && (part.state === 'preparing' || part.state === 'running'));
  return !isRunning && parts.findLast(({ kind }) => kind === 'text' || kind === 'call')?.kind !== 'text';
}
