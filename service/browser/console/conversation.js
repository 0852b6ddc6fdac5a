// One open chat: its messages and its running turn, which continues while another chat is shown.

import { actionOf, endingOf } from './chat-actions.js';
import { EMPTY_REPLY, reduce } from './chat-reducer.js';
import { readUiStream } from './chat-stream.js';
import { ApiError, StreamFormatError, errorText } from '../shared/errors.js';
import { readPage, mergeNewest } from './history.js';
import { newId } from '../shared/ids.js';
import { createListeners } from '../shared/listeners.js';
import { replyTo, userMessage } from './messages.js';
import { announcementOf } from './question-words.js';
import { timeZone } from './time-zone.js';

const CONNECTION_LOST = 'The connection was lost before the reply was complete. Your message is back in the input box.';
const STOPPED_EARLY = 'Stopped before the reply began. Your message is back in the input box.';
const STOP_TIMEOUT = 5000; // ms until a stream that does not end by itself is aborted
const STOP_INTERVAL = 300; // ms; repeated, because a turn that is not admitted yet ignores a stop
const PAGE_LEFT = new DOMException('the page was left', 'AbortError');

/**
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./chat-reducer.js').Reply} Reply
 * @typedef {'loading' | 'idle' | 'asking' | 'stopping'} Phase
 * @typedef {ReturnType<typeof createConversation>} Conversation
 */

/**
 * @param {string} chatId
 * @param {object} context
 * @param {import('../shared/api-transport.js').Transport} context.transport
 * @param {import('./drafts.js').Drafts} context.drafts
 * @param {() => void} context.onTurnEnd
 * @param {(sentence: string) => void} context.announce
 */
export function createConversation(chatId, { transport, drafts, onTurnEnd, announce }) {
  const listeners = createListeners();
  /** @type {AbortController | null} */
  let request = null;
  let turns = 0;
  let outdated = false; // whether there may be stored messages that are not shown
  const conversation = {
    chatId,
    /** @type {Phase} */
    phase: 'loading',
    /** @type {Message[]} */
    messages: [],
    /** @type {string | null} */
    earlier: null,
    /** @type {{question: Message, reply: Reply} | null} the running turn, or the failed one */
    turn: null,
    problem: '',
    /** The id of the question whose reply was stopped. The server does not store it. */
    stoppedId: '',
    /** Text to put back into the composer. The view clears it after doing so. */
    restoredText: '',
    /** Text to remove from the composer because it was stored. The view clears it after doing so. */
    storedText: '',
    onChange: listeners.add,
    load,
    refresh,
    loadEarlier,
    send,
    stop,
    /** Ends the request when the page is left. Nothing is shown or read after it. */
    leave: () => request?.abort(PAGE_LEFT),
  };

  /** @param {Partial<typeof conversation>} values */
  function set(values) {
    Object.assign(conversation, values);
    listeners.notify();
  }

  /** Loads the newest stored messages. An answer requested before a newer turn began is ignored. */
  async function load() {
    const before = turns;
    outdated = false;
    try {
      const newest = await readPage(transport, chatId, null);
      if (turns === before) {
        const firstLoad = conversation.phase === 'loading';
        set({ ...mergeNewest(conversation, newest), phase: 'idle' });
        recoverQuestion(firstLoad);
      } else outdated = true;
      if (outdated && !request) await load(); // the end of a turn loads again
    } catch (error) {
      if (turns === before) set({ phase: 'idle', problem: errorText(error) });
    }
  }

  /** Call it when the chat has changed, by a turn of this page or of another tab. */
  async function refresh() {
    if (request || conversation.phase === 'loading') outdated = true;
    else await load();
  }

  async function loadEarlier() {
    try {
      const { messages, earlier } = await readPage(transport, chatId, conversation.earlier);
      set({ messages: [...messages, ...conversation.messages], earlier });
    } catch (error) {
      set({ problem: errorText(error) });
    }
  }

  /**
   * Restores a message that was being sent when the page was left, unless it has been stored.
   * @param {boolean} firstLoad whether this is the first load of the messages
   */
  function recoverQuestion(firstLoad) {
    const question = drafts.question(chatId);
    if (!question || conversation.turn) return;
    if (isStored(question.id)) {
      drafts.setQuestion(chatId, null);
      set({ storedText: question.text });
    } else if (firstLoad) set({ restoredText: question.text });
  }

  /** @param {string} id */
  function isStored(id) {
    return conversation.messages.some((message) => message.id === id);
  }

  /** @param {string} text @param {string} modelId */
  async function send(text, modelId) {
    const before = drafts.question(chatId);
    const again = before?.text === text; // the same id replaces what an interrupted turn may have stored
    const question = again ? before : { id: newId(), text };
    drafts.setQuestion(chatId, question);
    turns += 1;
    const { signal } = (request = new AbortController());
    const turn = { question: userMessage(question.id, text), reply: EMPTY_REPLY };
    set({ phase: 'asking', turn, problem: '' });
    const body = {
      chatId, userMessageId: question.id, content: text, modelId: modelId || null, timeZone: timeZone(),
    };
    try {
      await runTurn(again ? { ...body, trigger: 'regenerate-message' } : body, signal);
    } catch (error) {
      if (signal.aborted) await finishAborted(signal);
      else failBeforeStream(error);
    } finally {
      request = null;
      onTurnEnd();
    }
  }

  /** @param {Record<string, any>} body @param {AbortSignal} signal */
  async function runTurn(body, signal) {
    const response = await transport.open('/api/ai/chat', body, signal);
    const ending = await readReply(response);
    if (ending === 'finish') await finish(response.headers.get('X-Asst-Id') ?? newId());
    else if (ending === 'abort') await finishStopped();
    else if (ending === 'error') fail(current().reply.message);
    else if (signal.aborted) await finishAborted(signal);
    else failInterrupted();
  }

  const current = () => /** @type {NonNullable<typeof conversation.turn>} */ (conversation.turn);

  /** @param {Response} response @returns {Promise<'finish' | 'abort' | 'error' | null>} */
  async function readReply(response) {
    let ending = null;
    try {
      for await (const chunk of readUiStream(response)) {
        const action = actionOf(chunk);
        if (action) set({ turn: { ...current(), reply: reduce(current().reply, action) } });
        const question = action?.type === 'ask-user' && announcementOf(action.part);
        if (question) announce(question);
        ending = endingOf(chunk) ?? ending;
      }
    } catch (error) {
      if (!ending && error instanceof StreamFormatError) console.warn(error.message);
    }
    return ending;
  }

  /** @param {string} id of the stored reply */
  async function finish(id) {
    const { question, reply } = current();
    drafts.setQuestion(chatId, null);
    const known = conversation.messages.filter((message) => message.id !== question.id);
    const messages = [...known, question, replyTo(question, reply.parts, id)];
    set({ phase: 'idle', turn: null, messages });
    announce('Answer ready');
    if (outdated) await load();
  }

  /** Only the server knows what a stopped turn has stored. */
  async function finishStopped() {
    const { question } = current();
    await load();
    const isKept = isStored(question.id);
    if (isKept) drafts.setQuestion(chatId, null);
    const outcome = isKept
      ? { stoppedId: question.id }
      : { restoredText: question.text, problem: STOPPED_EARLY };
    set({ turn: null, ...outcome });
    announce('Stopped');
  }

  /** @param {unknown} error before the stream began, so that nothing was stored */
  function failBeforeStream(error) {
    const conflict = error instanceof ApiError && error.status === 409 && error.retryAfter === null;
    // An older message has this id, so the next attempt uses a new one.
    if (conflict) drafts.setQuestion(chatId, { id: newId(), text: current().question.text });
    fail(errorText(error));
  }

  function failInterrupted() {
    outdated = true;
    const reply = reduce(current().reply, { type: 'stream-error', message: CONNECTION_LOST });
    set({ turn: { ...current(), reply } });
    fail(CONNECTION_LOST);
  }

  /** @param {string} problem shown above the question, which can be sent again; the partial reply stays */
  function fail(problem) {
    const { question, reply } = current();
    const failedTurn = { question, reply: { ...reply, state: /** @type {const} */ ('failed') } };
    set({ phase: 'idle', turn: failedTurn, problem, restoredText: question.text });
  }

  /** Asks the server to stop: it stores the partial reply, then ends the stream. */
  async function stop() {
    set({ phase: 'stopping' });
    const running = request;
    const until = Date.now() + STOP_TIMEOUT;
    try {
      while (running === request && Date.now() < until) {
        await transport.post(`/api/ai/chat/${chatId}/stop`);
        await new Promise((resolve) => setTimeout(resolve, STOP_INTERVAL));
      }
    } catch {
      // The server can't be reached: only the stream is aborted.
    }
    running?.abort();
  }

  /** @param {AbortSignal} signal of a request that this page aborted */
  async function finishAborted(signal) {
    if (signal.reason !== PAGE_LEFT) await finishStopped();
  }

  return conversation;
}
