// The running turn of a conversation: its chunks, and what becomes of its question at each ending.

import { actionOf } from './chat-actions.js';
import { EMPTY_REPLY, brokenOff, reduce } from './chat-reducer.js';
import { ApiError, errorText } from '../shared/errors.js';
import { newId } from '../shared/ids.js';
import { replyTo, userMessage } from './messages.js';
import { withoutQuestions } from './question-parts.js';
import { announcementOf } from './question-words.js';
import { followReply, openRunning } from './running-reply.js';

const CONNECTION_LOST = 'The connection was lost before the reply was complete. Your message is back in the input box.';
const STOPPED_EARLY = 'Stopped before the reply began. Your message is back in the input box.';
const NOT_STORED = 'The reply ended before it was complete. Nothing of it was stored.'; // of another tab
/** Aborts a stream without an ending: nothing is shown any more. */
export const PAGE_LEFT = new DOMException('the page was left', 'AbortError');
const NO_TURN = { question: userMessage('', ''), reply: EMPTY_REPLY, isLost: false }; // before its first chunk

/**
 * @typedef {import('./chat-stream.js').Chunk} Chunk
 * @typedef {import('./conversation.js').State} State
 */

/**
 * @param {object} context
 * @param {State} context.state
 * @param {(values: Partial<State>) => void} context.set
 * @param {(id: string) => boolean} context.isStored
 * @param {() => Promise<void>} context.load the stored messages
 * @param {() => boolean} context.isOutdated whether there may be stored messages that are not shown
 * @param {import('../shared/api-transport.js').Transport} context.transport
 * @param {import('./drafts.js').Drafts} context.drafts
 * @param {(sentence: string) => void} context.announce
 */
export function createTurnReader({ state, set, isStored, load, isOutdated, transport, drafts, announce }) {
  const { chatId } = state;
  let replyId = '';

  const current = () => state.turn ?? NO_TURN;
  /** Whether the running turn answers a message that was sent in this tab. */
  const isOwn = () => drafts.question(chatId)?.id === current().question.id;

  /** Reads the running turn to its end. @param {Response} response @param {AbortSignal} signal */
  async function read(response, signal) {
    replyId = response.headers.get('X-Asst-Id') ?? '';
    const ending = await followReply(response, {
      reopen: (lastId) => openRunning(transport, chatId, signal, lastId),
      onChunk: receive,
      onLost: lose,
      signal,
    });
    if (ending === 'finish') await finish();
    else if (ending === 'abort') await finishStopped();
    else if (ending === 'error') fail(current().reply.message);
    else if (signal.aborted) await finishAborted(signal);
    else await finishLost();
  }

  /** @param {Chunk} chunk */
  function receive(chunk) {
    if (chunk.type === 'start') restart(chunk);
    const action = actionOf(chunk);
    if (action) set({ turn: { ...current(), reply: reduce(current().reply, action), isLost: false } });
    const question = action?.type === 'ask-user' && announcementOf(action.part);
    if (question) announce(question);
  }

  /** The first chunk, perhaps not for the first time. @param {Chunk} chunk */
  function restart({ messageId, messageMetadata }) {
    const asked = messageMetadata?.userMessage; // for readers that did not send it
    const shown = current().question;
    const isShown = !asked || asked.id === shown.id;
    const question = isShown ? shown : userMessage(asked.id, asked.content);
    replyId = messageId;
    const restored = isShown ? {} : { restoredText: shown.text };
    set({ turn: { question, reply: EMPTY_REPLY, isLost: false }, ...restored });
  }

  /** The partial reply stays until the reply goes on. Nobody can answer its questions meanwhile. */
  function lose() {
    const { question, reply } = current();
    set({ turn: { question, reply: { ...reply, parts: withoutQuestions(reply.parts) }, isLost: true } });
  }

  /** The reply is stored. */
  async function finish() {
    const { question, reply } = current();
    const wasOwn = isOwn();
    if (wasOwn) drafts.setQuestion(chatId, null);
    const answer = replyTo(question, reply.parts, replyId || newId());
    const known = state.messages.filter(({ id, key }) => id !== question.id && key !== answer.key);
    set({ phase: 'idle', turn: null, messages: [...known, question, answer] });
    announce('Answer ready');
    if (isOutdated() || !wasOwn) await load();
  }

  /** Only the server knows what a stopped turn has stored. */
  async function finishStopped() {
    const { question } = current();
    await load();
    if (isStored(question.id)) keep({ stoppedId: question.id });
    else if (isOwn()) set({ phase: 'idle', turn: null, problem: STOPPED_EARLY, restoredText: question.text });
    else set({ phase: 'idle', turn: null, problem: NOT_STORED });
    announce('Stopped');
  }

  /** The turn may have ended in any way since its connection was lost. */
  async function finishLost() {
    const { question } = current();
    await load();
    if (isStored(replyId)) keep({ lostId: question.id });
    else fail(isOwn() ? CONNECTION_LOST : NOT_STORED);
  }

  /** What is stored replaces the turn. @param {Partial<State>} note */
  function keep(note) {
    if (isOwn()) drafts.setQuestion(chatId, null);
    set({ phase: 'idle', turn: null, ...note });
  }

  /** @param {unknown} error before the stream began, so that nothing was stored @param {AbortSignal} signal */
  async function failBeforeStream(error, signal) {
    if (signal.aborted) return finishAborted(signal);
    const { text } = current().question;
    fail(errorText(error));
    const conflict = error instanceof ApiError && error.status === 409 && error.retryAfter === null;
    // An older message has this id, so the next attempt uses a new one.
    if (conflict) drafts.setQuestion(chatId, { id: newId(), text });
  }

  /** @param {string} problem shown above the question, which can be sent again; the partial reply stays */
  function fail(problem) {
    const { question, reply } = current();
    const isElsewhere = !isOwn();
    const turn = { question, reply: brokenOff(reply), isLost: false, isElsewhere };
    const restored = isElsewhere ? {} : { restoredText: question.text };
    set({ phase: 'idle', turn: question.id ? turn : null, problem, ...restored });
  }

  /** @param {AbortSignal} signal of a request that this page aborted */
  async function finishAborted(signal) {
    if (signal.reason !== PAGE_LEFT) await finishStopped();
  }

  return { read, failBeforeStream };
}
