// One open chat: its messages and its running turn, which continues while another chat is shown.

import { EMPTY_REPLY } from './chat-reducer.js';
import { errorText } from '../shared/errors.js';
import { PAGE, createNewestReader, mergeNewest, readPage } from './history.js';
import { newId } from '../shared/ids.js';
import { createListeners } from '../shared/listeners.js';
import { hasMessage, userMessage } from './messages.js';
import { requestBody } from './question-request.js';
import { openRunning, openTurn, stopReply } from './running-reply.js';
import { PAGE_LEFT, createTurnReader } from './turn-reader.js';

/**
 * @typedef {import('./messages.js').Message} Message
 * @typedef {import('./chat-reducer.js').Reply} Reply
 * @typedef {import('../page/drafts.js').Question} Question
 * @typedef {'loading' | 'idle' | 'asking' | 'stopping'} Phase
 * @typedef {{question: Message, reply: Reply, isLost: boolean, isElsewhere?: boolean, storedId?: string, turnId?: string}} Turn
 *   `isLost` while its connection is lost; `isElsewhere` if it failed and another tab has its question; `storedId` if it
 *   failed: the id of a message that is stored if the turn was stored nevertheless, or ''
 *
 * @typedef {import('./history.js').History & TurnState} State
 * @typedef {object} TurnState
 * @property {string} chatId
 * @property {Phase} phase
 * @property {Turn | null} turn the running turn or the failed turn
 * @property {boolean} isRead whether the messages were read at least once
 * @property {string} problem shown at the composer; the view clears this property when the user dismisses it
 * @property {boolean} nothingStored whether it is certain that the last turn has stored nothing
 * @property {string} restoredText text to put back into the composer; the view then clears this property
 * @property {string} storedText text to remove from the composer because it was stored; the view then clears this property
 *
 * @typedef {ReturnType<typeof createConversation>} Conversation
 */

/**
 * @param {string} chatId
 * @param {object} context
 * @param {import('../shared/api-transport.js').Transport} context.transport
 * @param {import('../page/drafts.js').Drafts} context.drafts
 * @param {() => void} context.onTurnEnd
 * @param {(chatId: string) => void} [context.onTurnBegin] called when the server may have accepted a turn of this page
 * @param {(sentence: string) => void} context.announce
 * @param {() => Promise<boolean>} [context.isMissing] whether the chat is known not to exist
 */
export function createConversation(chatId, context) {
  const { transport, drafts, onTurnEnd, onTurnBegin = () => {}, announce, isMissing = async () => false } = context;
  const listeners = createListeners();
  const readNewest = createNewestReader(transport, chatId);
  let request = /** @type {AbortController | null} */ (null); // the stream of the running turn
  let search = /** @type {AbortController | null} */ (null); // the request for a running turn that this page did not start
  let turns = 0;
  let isChecking = false; // whether a failed turn is sent again as soon as the messages are loaded
  let missed = ''; // when a message was stored that may not be shown; '' for none
  let readProblem = ''; // why messages could not be read; '' if the last attempt has succeeded
  /** @type {State} */
  const state = {
    chatId, phase: 'loading', messages: [], earlier: null, newest: '', turn: null, isRead: false, problem: '',
    nothingStored: false, restoredText: '', storedText: '',
  };
  const conversation = Object.assign(state, {
    onChange: listeners.add, load, refresh, readMissed, watch, loadEarlier, send, edit, regenerate, retry, dismiss, stop,
    /** Ends the search for a running reply: in a chat that is being deleted there is none. */
    endSearch: () => search?.abort(),
    /** Aborts the requests when the page is left. Nothing is shown or read after that. */
    leave: () => [request, search].forEach((each) => each?.abort(PAGE_LEFT)),
  });
  const reader = createTurnReader({ state, set, load, isOutdated: () => missed !== '' || readProblem !== '', transport, drafts, announce });

  /** @param {Partial<State>} values */
  function set(values) {
    Object.assign(conversation, values);
    listeners.notify();
  }

  /** Loads the newest stored messages. If a turn begins meanwhile, the answer is dropped. @returns {Promise<boolean>} false if loading fails */
  async function load() {
    const before = turns;
    const firstLoad = !conversation.isRead;
    const running = firstLoad ? searchRunning() : null;
    missed = '';
    try {
      const newest = await readNewest();
      conversation.isRead = true;
      if (newest && missed === newest.newest) missed = '';
      if (newest && turns === before) set({ ...mergeNewest(conversation, newest), ...withoutReadProblem(), ...reader.withoutFailure(newest.messages) });
      const response = await running; // awaited before the question is put back, because this reply may answer it
      if (turns !== before) missed ||= 'unknown';
      else if (response) readRunning(response);
      else {
        set({ phase: 'idle' });
        reader.recoverQuestion(firstLoad);
      }
      return missed && !request ? load() : true; // if a turn runs, its end loads the messages again
    } catch (error) {
      search?.abort();
      readProblem = errorText(error);
      if (turns === before) set({ phase: 'idle', problem: readProblem });
      return false;
    }
  }

  /** Call this when the server may be available again. It reads the messages only if the last attempt has failed. */
  async function readMissed() {
    if (!readProblem || request || conversation.phase !== 'idle') return;
    const { turn, problem } = conversation;
    if (!conversation.isRead) set({ phase: 'loading' });
    if (!(await load()) && turn && turn === conversation.turn) set({ problem }); // the error of the failed turn stays
  }

  /** Call this when the chat is shown again, because a turn may have begun in another tab. */
  async function watch() {
    if (request || conversation.phase !== 'idle') return;
    if (readProblem) return readMissed();
    const before = turns;
    const response = await searchRunning();
    if (response && turns === before) readRunning(response);
  }

  /** @returns {Promise<Response | null>} the running reply of this chat, if there is one */
  async function searchRunning() {
    search?.abort();
    const { signal } = (search = new AbortController());
    if (await isMissing()) return null;
    return openRunning(transport, chatId, signal).catch(() => null); // loading the messages reports the error
  }

  /** @param {Response} response a running reply that this page did not start, or started before a reload */
  async function readRunning(response) {
    const draft = drafts.question(chatId);
    const question = draft && !hasMessage(conversation.messages, draft) ? userMessage(draft.id, draft.text) : null;
    const turn = begin(question, search);
    await reader.read(response, turn.signal).finally(() => end(turn));
  }

  /** Call this when a turn of this page or of another tab may have changed the chat. @param {string} lastStored when its last message was stored */
  async function refresh(lastStored) {
    if (lastStored === conversation.newest) return;
    if (request || conversation.phase === 'loading') missed = lastStored;
    else await load();
  }

  async function loadEarlier(limit = PAGE) {
    const cursor = conversation.earlier;
    try {
      const { messages, earlier } = await readPage(transport, chatId, cursor, limit);
      if (conversation.earlier !== cursor) return; // the messages are loaded already, or they no longer continue the list
      set({ messages: [...messages, ...conversation.messages], earlier, ...withoutReadProblem() });
    } catch (error) {
      readProblem = errorText(error);
      set({ problem: readProblem });
    }
  }

  /** Returns what changes in the state when messages can be read again. */
  function withoutReadProblem() {
    const isShown = conversation.problem === readProblem;
    readProblem = '';
    return isShown ? { problem: '' } : {};
  }

  /** @param {string} text @param {string} modelId */
  async function send(text, modelId) {
    const before = drafts.question(chatId);
    const again = before?.text === text && !before.replaces;
    await ask(again ? before : { id: newId(), text }, modelId, again);
  }

  /** Replaces a stored message with another text and requests a reply to it. @param {string} id @param {string} text @param {string} modelId */
  async function edit(id, text, modelId) {
    await ask({ id, text, replaces: true }, modelId);
  }

  /** Requests a new reply to a stored message. @param {string} id @param {string} modelId */
  async function regenerate(id, modelId) {
    const message = conversation.messages.find((each) => each.id === id);
    if (message) await edit(id, message.text, modelId);
  }

  /** Sends the message of a failed turn once more. @param {string} modelId */
  async function retry(modelId) {
    const question = drafts.question(chatId);
    if (!question || isChecking) return;
    if (!question.replaces) set({ storedText: question.text }); // removes the text from the composer
    if (!conversation.nothingStored) {
      isChecking = true;
      await load(); // the server may have stored the reply
      isChecking = false;
    }
    if (drafts.question(chatId)?.id === question.id) await ask(question, modelId, true);
  }

  /** Shows the stored messages again, after a turn that should have replaced some of them has failed. */
  function dismiss() {
    drafts.setQuestion(chatId, null);
    set({ turn: null, problem: '' });
  }

  /** @param {Question} question @param {string} modelId @param {boolean} [again] whether it was sent before: an interrupted turn with the same id is then replaced */
  async function ask(question, modelId, again = false) {
    // After a turn has ended, `request` may still load missed messages. A turn of another tab may have begun meanwhile.
    if (request && conversation.phase !== 'idle') return set({ restoredText: question.text, storedText: '' });
    drafts.setQuestion(chatId, question);
    search?.abort();
    const turn = begin(userMessage(question.id, question.text), new AbortController());
    try {
      const response = await openTurn(transport, requestBody(chatId, question, modelId, again), turn.signal);
      onTurnBegin(chatId);
      await reader.read(response, turn.signal);
    } catch (error) {
      await reader.failBeforeStream(error, turn.signal);
    } finally {
      end(turn);
    }
  }

  /** @param {Message | null} question null if it is not known @param {AbortController | null} controller of the stream */
  function begin(question, controller) {
    turns += 1;
    request?.abort(); // the stream of the last turn has ended, but perhaps not a request to stop it
    request = controller ?? new AbortController();
    search = null;
    set({ phase: 'asking', turn: question && { question, reply: EMPTY_REPLY, isLost: false }, problem: '', nothingStored: false });
    return request;
  }

  /** @param {AbortController} turn the one that ends; the next turn may have begun already */
  function end(turn) {
    turn.abort(); // a late request to stop would get 404 from a new chat that is deleted because its turn stored nothing
    if (request === turn) request = null;
    onTurnEnd();
  }

  async function stop() {
    if (!request || conversation.phase !== 'asking') return; // the turn has ended since the button was drawn
    set({ phase: 'stopping' });
    await stopReply(transport, chatId, request);
  }

  return conversation;
}
