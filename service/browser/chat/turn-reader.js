// Reads the running turn of a conversation, and decides at each ending what happens to its question.

import { actionOf } from './chat-actions.js';
import { EMPTY_REPLY, asFailed, reduce } from './chat-reducer.js';
import { ApiError, errorText } from '../shared/errors.js';
import { newId } from '../shared/ids.js';
import { hasMessage, messagesBefore, replyTo, userMessage } from './messages.js';
import { withoutQuestions } from './question-parts.js';
import { announcementOf } from './question-words.js';
import { followReply, openRunning } from './running-reply.js';

const BACK = 'Your message is back in the input box.';
const KEPT = 'The earlier messages are kept.';
const CONNECTION_LOST = `The connection was lost before the reply was complete. ${BACK}`;
const REPLACING_LOST = `The connection was lost before the reply was complete. ${KEPT}`;
const STOPPED_EARLY = `Stopped before the reply began. ${BACK}`;
const REPLACING_STOPPED = `Stopped before the reply began. ${KEPT}`;
const NOT_STORED = 'The reply ended before it was complete. Nothing of it was stored.'; // for a turn of another tab
/** The reason for aborting a stream when the page is left: nothing is shown after it. */
export const PAGE_LEFT = new DOMException('the page was left', 'AbortError');
const NO_TURN = { question: userMessage('', ''), reply: EMPTY_REPLY, isLost: false }; // before the first chunk

/**
 * @typedef {import('./chat-reducer.js').Part} Part
 * @typedef {import('./chat-stream.js').Chunk} Chunk
 * @typedef {import('./conversation.js').State} State
 * @typedef {import('./messages.js').Message} Message
 */

/**
 * @param {object} context
 * @param {State} context.state
 * @param {(values: Partial<State>) => void} context.set
 * @param {() => Promise<boolean>} context.load reads the stored messages; returns false if it fails
 * @param {() => boolean} context.isOutdated whether there may be stored messages that are not shown
 * @param {import('../shared/api-transport.js').Transport} context.transport
 * @param {import('../page/drafts.js').Drafts} context.drafts
 * @param {(sentence: string) => void} context.announce
 */
export function createTurnReader({ state, set, load, isOutdated, transport, drafts, announce }) {
  const { chatId } = state;
  let replyId = '';
  /** @type {Part[]} the parts of the reply when its connection was lost */
  let lostParts = [];
  /** @type {Set<string>} the announced questions, which come a second time when a reply is read again */
  const announced = new Set();

  const current = () => state.turn ?? NO_TURN;
  /** Whether the running turn answers a message that was sent in this tab. */
  const isOwn = () => drafts.question(chatId)?.id === current().question.id;
  /** @param {string} id */
  const isStored = (id) => state.messages.some((message) => message.id === id);
  /** Whether the running turn replaces stored messages. */
  const isReplacing = () => isStored(current().question.id);

  /** Reads the running turn to its end. @param {Response | null} response null if none has come in time @param {AbortSignal} signal */
  async function read(response, signal) {
    replyId = response?.headers.get('X-Asst-Id') ?? '';
    const ending = await followReply(response, {
      reopen: (lastId) => openRunning(transport, chatId, signal, lastId),
      onChunk: receive,
      onLost: lose,
      onResumed: resume,
      signal,
    });
    if (ending === 'finish') await finish();
    else if (ending === 'abort') await finishStopped();
    else if (ending === 'error') fail(current().reply.message, true);
    else if (signal.aborted) await finishAborted(signal);
    else await finishLost();
  }

  /** @param {Chunk} chunk */
  function receive(chunk) {
    if (chunk.type === 'start') restart(chunk);
    const action = actionOf(chunk);
    if (action) set({ turn: { ...current(), reply: reduce(current().reply, action), isLost: false } });
    if (action?.type === 'ask-user') announceOnce(action.part);
  }

  /** @param {import('./question-parts.js').QuestionPart} part */
  function announceOnce(part) {
    const question = announcementOf(part);
    if (!question || announced.has(`${part.kind} ${part.id}`)) return;
    announced.add(`${part.kind} ${part.id}`);
    announce(question);
  }

  /** Handles the first chunk of a reply, which comes again when the reply is read again. @param {Chunk} chunk */
  function restart({ messageId, messageMetadata }) {
    const sent = messageMetadata?.userMessage; // the question, for pages that did not send it
    const shown = current().question;
    const isShown = !sent || sent.id === shown.id;
    const question = isShown ? shown : userMessage(sent.id, sent.content);
    replyId = messageId;
    const restored = isShown ? {} : { restoredText: shown.text };
    set({ turn: { question, reply: EMPTY_REPLY, isLost: false, turnId: messageMetadata?.turnId }, ...restored });
  }

  /** Called when the connection is lost. The partial reply stays on the screen, but its questions can't be answered. */
  function lose() {
    const { reply } = current();
    lostParts = reply.parts;
    set({ turn: { ...current(), reply: { ...reply, parts: withoutQuestions(reply.parts) }, isLost: true } });
  }

  /** Called when the reply can be read on. Its questions can be answered again: the server does not send them a second time. */
  function resume() {
    set({ turn: { ...current(), reply: { ...current().reply, parts: lostParts }, isLost: false } });
  }

  /** The reply is stored. */
  async function finish() {
    const { question, reply } = current();
    const wasOwn = isOwn();
    if (wasOwn) drafts.setQuestion(chatId, null);
    const answer = replyTo(question, reply.parts, replyId || newId());
    const messages = [...messagesBefore(state.messages, question), question, answer];
    set({ phase: 'idle', turn: null, messages });
    announce('Reply ready');
    if (isOutdated() || !wasOwn) await load();
  }

  /** Only the server knows what a stopped turn has stored. */
  async function finishStopped() {
    const { question } = current();
    const isReplaced = isReplacing();
    if (!(await load())) return fail(state.problem);
    if (isStored(isReplaced ? replyId : question.id)) keep();
    else if (isReplaced && isOwn()) stopReplacing(question);
    else if (isOwn()) endEmpty({ problem: STOPPED_EARLY, restoredText: question.text });
    else endEmpty({ problem: NOT_STORED });
    announce('Stopped');
  }

  /** Shows the earlier messages again, unless this would lose the edited text of the question. @param {Message} question */
  function stopReplacing(question) {
    const isEdited = state.messages.some(({ id, text }) => id === question.id && text !== question.text);
    if (isEdited) return fail(REPLACING_STOPPED);
    drafts.setQuestion(chatId, null);
    endEmpty({ problem: REPLACING_STOPPED });
  }

  /** @param {Partial<State>} values */
  function endEmpty(values) {
    set({ phase: 'idle', turn: null, nothingStored: true, ...values });
  }

  /** Called when the connection was lost and could not be restored: the turn may have ended in any way. */
  async function finishLost() {
    const expected = replyId || (isReplacing() ? '' : current().question.id); // the id of the reply came with no response
    await load();
    if (isStored(expected)) keep();
    else if (isReplacing()) fail(REPLACING_LOST);
    else fail(isOwn() ? CONNECTION_LOST : NOT_STORED);
  }

  /** Shows the stored messages in place of the turn. */
  function keep() {
    if (isOwn()) drafts.setQuestion(chatId, null);
    set({ phase: 'idle', turn: null });
  }

  /** @param {unknown} error that came before the stream began, so that nothing was stored @param {AbortSignal} signal */
  async function failBeforeStream(error, signal) {
    replyId = '';
    if (signal.aborted) return finishAborted(signal);
    const { text } = current().question;
    fail(errorText(error), error instanceof ApiError);
    const conflict = error instanceof ApiError && error.status === 409 && error.retryAfter === null && !isReplacing();
    // An older message has this id, so the next try uses a new id.
    if (conflict) drafts.setQuestion(chatId, { id: newId(), text });
  }

  /**
   * @param {string} problem shown at the composer; the partial reply stays on the screen
   * @param {boolean} [nothingStored] whether it is certain that nothing was stored
   */
  function fail(problem, nothingStored = false) {
    const { question, reply } = current();
    const isElsewhere = !isOwn();
    const storedId = replyId || (nothingStored || isReplacing() ? '' : question.id);
    const turn = { ...current(), reply: asFailed(reply), isLost: false, isElsewhere, storedId };
    const restored = isElsewhere || isReplacing() ? {} : { restoredText: question.text };
    set({ phase: 'idle', turn: question.id ? turn : null, problem, nothingStored, ...restored });
  }

  /**
   * Returns what changes in the state if a failed turn is no longer shown. A failed turn of another tab is shown until its
   * chat changes. One of this tab is shown until its reply is stored, because the server may have finished it.
   * @param {Message[]} messages the newest ones that are stored @returns {Partial<State>}
   */
  function withoutFailure(messages) {
    const { turn } = state;
    if (turn?.isElsewhere) return { turn: null, problem: '' };
    if (!turn || !messages.some(({ id }) => id === turn.storedId)) return {};
    drafts.setQuestion(chatId, null);
    return { turn: null, problem: '', restoredText: '', storedText: turn.question.text };
  }

  /** Restores a message that was being sent when the page was left, unless it was stored. @param {boolean} firstLoad whether the messages are loaded for the first time */
  function recoverQuestion(firstLoad) {
    const question = drafts.question(chatId);
    if (!question || state.turn) return;
    if (hasMessage(state.messages, question)) {
      drafts.setQuestion(chatId, null);
      set({ storedText: question.text });
    } else if (firstLoad) {
      if (question.replaces) drafts.setQuestion(chatId, null); // the text becomes a new message
      set({ restoredText: question.text });
    }
  }

  /** @param {AbortSignal} signal of a request that this page aborted */
  async function finishAborted(signal) {
    if (signal.reason !== PAGE_LEFT) await finishStopped();
  }

  return { read, failBeforeStream, withoutFailure, recoverQuestion };
}

/** Whether the user has caused a problem by stopping the reply, so that it is not shown as an error. @param {string} problem */
export function isExpected(problem) {
  return problem === STOPPED_EARLY || problem === REPLACING_STOPPED;
}
