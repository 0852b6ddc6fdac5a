// One open chat: its history, and the turn that runs in it. It goes on while another chat is shown.

import { actionOf, endingOf } from './chat-actions.js';
import { EMPTY_REPLY, reduce } from './chat-reducer.js';
import { readUiStream } from './chat-stream.js';
import { ApiError, ProtocolError, inWords } from './errors.js';
import { readPage, renewed } from './history.js';
import { newId } from './ids.js';
import { createListeners } from './listeners.js';
import { replyTo, userMessage } from './messages.js';

const CUT = 'The connection was lost before the reply was complete. Your message is back in the box.';
const NOTHING_SAID = 'Stopped before anything was said. Your message is back in the box.';
const STOP_PATIENCE = 5000; // ms until a stream that does not end by itself is let go
const STOP_AGAIN = 300; // ms: a turn that is only just being admitted does not hear of a stop yet
const LEFT = new DOMException('the page goes', 'AbortError');

/**
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./chat-reducer.js').Reply} Reply
 * @typedef {'loading' | 'idle' | 'asking' | 'stopping'} Phase
 * @typedef {ReturnType<typeof createConversation>} Conversation
 */

/**
 * @param {string} chatId
 * @param {object} world
 * @param {import('./api-transport.js').Transport} world.transport
 * @param {import('./drafts.js').Drafts} world.drafts
 * @param {() => void} world.onTurnEnd
 * @param {(sentence: string) => void} world.announce
 */
export function createConversation(chatId, { transport, drafts, onTurnEnd, announce }) {
  const listeners = createListeners();
  /** @type {AbortController | null} */
  let request = null;
  let turns = 0;
  let doubtful = false; // whether there may be stored messages that are not shown
  const conversation = {
    chatId,
    /** @type {Phase} */
    phase: 'loading',
    /** @type {Message[]} */
    messages: [],
    /** @type {string | null} */
    earlier: null,
    /** @type {{question: Message, reply: Reply} | null} the turn that runs, or the one that failed */
    turn: null,
    problem: '',
    /** The question whose stored reply was stopped; only this page knows. */
    stopped: '',
    /** What goes back into the composer; whoever takes it empties it. */
    returned: '',
    /** What is stored after all, and leaves the composer; whoever takes it out empties it. */
    stored: '',
    onChange: listeners.add,
    load,
    refresh,
    loadEarlier,
    send,
    stop,
    /** The page goes: nothing is shown or asked any more. */
    leave: () => request?.abort(LEFT),
  };

  /** @param {Partial<typeof conversation>} values */
  function set(values) {
    Object.assign(conversation, values);
    listeners.tell();
  }

  /** The newest messages, as stored. An answer that can't know of a turn begun since is no use. */
  async function load() {
    const before = turns;
    doubtful = false;
    try {
      const newest = await readPage(transport, chatId, null);
      if (turns === before) {
        const first = conversation.phase === 'loading';
        set({ ...renewed(conversation, newest), phase: 'idle' });
        recoverQuestion(first);
      } else doubtful = true;
      if (doubtful && !request) await load(); // the end of a turn loads again
    } catch (error) {
      if (turns === before) set({ phase: 'idle', problem: inWords(error) });
    }
  }

  /** Something has changed in the chat: another tab's turn, or our own. */
  async function refresh() {
    if (request || conversation.phase === 'loading') doubtful = true;
    else await load();
  }

  async function loadEarlier() {
    try {
      const { messages, earlier } = await readPage(transport, chatId, conversation.earlier);
      set({ messages: [...messages, ...conversation.messages], earlier });
    } catch (error) {
      set({ problem: inWords(error) });
    }
  }

  /**
   * A message that was on its way when the page was left: stored by now, or typed for nothing.
   * @param {boolean} first whether this is known for the first time
   */
  function recoverQuestion(first) {
    const question = drafts.question(chatId);
    if (!question || conversation.turn) return;
    if (isStored(question.id)) {
      drafts.hold(chatId, null);
      set({ stored: question.text });
    } else if (first) set({ returned: question.text });
  }

  /** @param {string} id */
  function isStored(id) {
    return conversation.messages.some((message) => message.id === id);
  }

  /** @param {string} text @param {string} modelId */
  async function send(text, modelId) {
    const before = drafts.question(chatId);
    const again = before?.text === text; // the same id replaces what a cut may have left behind
    const question = again ? before : { id: newId(), text };
    drafts.hold(chatId, question);
    turns += 1;
    const { signal } = (request = new AbortController());
    const turn = { question: userMessage(question.id, text), reply: EMPTY_REPLY };
    set({ phase: 'asking', turn, problem: '' });
    const body = { chatId, userMessageId: question.id, content: text, modelId: modelId || null };
    try {
      await ask(again ? { ...body, trigger: 'regenerate-message' } : body, signal);
    } catch (error) {
      if (signal.aborted) await letGo(signal);
      else refused(error);
    } finally {
      request = null;
      onTurnEnd();
    }
  }

  /** @param {Record<string, any>} body @param {AbortSignal} signal */
  async function ask(body, signal) {
    const response = await transport.open('/api/ai/chat', body, signal);
    const ending = await follow(response);
    if (ending === 'finish') await finished(response.headers.get('X-Asst-Id') ?? newId());
    else if (ending === 'abort') await stopped();
    else if (ending === 'error') failed(current().reply.message);
    else if (signal.aborted) await letGo(signal);
    else cut();
  }

  const current = () => /** @type {NonNullable<typeof conversation.turn>} */ (conversation.turn);

  /** @param {Response} response @returns {Promise<'finish' | 'abort' | 'error' | null>} */
  async function follow(response) {
    let ending = null;
    try {
      for await (const chunk of readUiStream(response)) {
        const action = actionOf(chunk);
        if (action) set({ turn: { ...current(), reply: reduce(current().reply, action) } });
        ending = endingOf(chunk) ?? ending;
      }
    } catch (error) {
      if (!ending && error instanceof ProtocolError) console.warn(error.message);
    }
    return ending;
  }

  /** @param {string} id of the stored reply */
  async function finished(id) {
    const { question, reply } = current();
    drafts.hold(chatId, null);
    const known = conversation.messages.filter((message) => message.id !== question.id);
    const messages = [...known, question, replyTo(question, reply.parts, id)];
    set({ phase: 'idle', turn: null, messages });
    announce('Answer ready');
    if (doubtful) await load();
  }

  /** What an interrupted turn leaves behind is the server's to say. */
  async function stopped() {
    const { question } = current();
    await load();
    const kept = isStored(question.id);
    if (kept) drafts.hold(chatId, null);
    const left = kept ? { stopped: question.id } : { returned: question.text, problem: NOTHING_SAID };
    set({ turn: null, ...left });
    announce('Stopped');
  }

  /** @param {unknown} error before the stream: nothing is stored */
  function refused(error) {
    const conflict = error instanceof ApiError && error.status === 409 && error.retryAfter === null;
    // Its id is taken by an older message: next time it goes out as a new one.
    if (conflict) drafts.hold(chatId, { id: newId(), text: current().question.text });
    failed(inWords(error));
  }

  function cut() {
    doubtful = true;
    const reply = reduce(current().reply, { type: 'stream-error', message: CUT });
    set({ turn: { ...current(), reply } });
    failed(CUT);
  }

  /** @param {string} problem the reply stays readable, and the question can be sent again */
  function failed(problem) {
    const { question, reply } = current();
    const shown = { question, reply: { ...reply, state: /** @type {const} */ ('failed') } };
    set({ phase: 'idle', turn: shown, problem, returned: question.text });
  }

  /** The server ends the stream, so that what was said is stored before we look. */
  async function stop() {
    set({ phase: 'stopping' });
    const running = request;
    const until = Date.now() + STOP_PATIENCE;
    try {
      while (running === request && Date.now() < until) {
        await transport.post(`/api/ai/chat/${chatId}/stop`);
        await new Promise((resolve) => setTimeout(resolve, STOP_AGAIN));
      }
    } catch {
      // It can't be reached: then at least we stop listening.
    }
    running?.abort();
  }

  /** @param {AbortSignal} signal of a request that we ended */
  async function letGo(signal) {
    if (signal.reason !== LEFT) await stopped();
  }

  return conversation;
}
