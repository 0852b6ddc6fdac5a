// Reads a running reply to its end. If the connection is lost, it connects again and reads on.

import { endingOf } from './chat-actions.js';
import { discard, headOf, readUiStream } from './chat-stream.js';
import { ApiError, NetworkError, StreamFormatError } from '../shared/errors.js';

/** @typedef {import('../shared/api-transport.js').Transport} Transport */
/** @typedef {ReturnType<typeof endingOf>} Ending null if the connection was lost and the reply could not be read on */

const PAUSES = [0, 500, 1500, 4000]; // ms before each attempt to read the reply again
const STOP_TIMEOUT = 5000; // ms until a stream that does not end by itself is aborted
const STOP_INTERVAL = 300; // ms; the stop is repeated, because a turn that has not begun yet ignores it

/**
 * Sends a question. If no response comes, the request stays open, because its end may end the reply (see `followReply`).
 * @param {Transport} transport
 * @param {Record<string, any>} body
 * @param {AbortSignal} signal
 * @returns {Promise<Response | null>} null if no response has come in time
 */
export async function openTurn(transport, body, signal) {
  const request = transport.open('/api/ai/chat', body, signal);
  const response = await headOf(request);
  if (!response) request.then(discard, () => {});
  return response;
}

/** The reply runs, but nothing of it arrives. For example, a proxy passes a response on only when it is complete. */
export class HeldBack extends NetworkError {}

/**
 * @param {Transport} transport
 * @param {string} chatId
 * @param {AbortSignal} signal
 * @param {string} [lastId] of the last event that was read; the stream begins after it
 * @returns {Promise<Response | null>} null if no reply runs; throws a `NetworkError` if no response has come in time, which is
 *   a `HeldBack` if the server says that the reply still runs
 */
export async function openRunning(transport, chatId, signal, lastId = '') {
  /** @type {Record<string, string>} */
  const headers = lastId ? { 'Last-Event-ID': lastId } : {};
  const path = `/api/ai/chat/${encodeURIComponent(chatId)}/stream`;
  const response = await inTime((given) => transport.read(path, given, headers), signal);
  if (response) return runningOf(response);
  const answer = await inTime((given) => transport.head(path, given), signal); // no proxy has a body to wait for
  if (!answer) throw new NetworkError();
  if (runningOf(answer)) throw new HeldBack();
  return null;
}

/** @param {Response} response */
function runningOf(response) {
  return response.status === 204 ? null : response;
}

/** @param {(signal: AbortSignal) => Promise<Response>} request @param {AbortSignal} signal @returns {Promise<Response | null>} null if no response has come in time */
async function inTime(request, signal) {
  const attempt = new AbortController();
  const response = await headOf(request(AbortSignal.any([signal, attempt.signal])));
  if (!response) attempt.abort();
  return response;
}

/**
 * @param {Response | null} first null if the request has got no response in time
 * @param {object} options
 * @param {(lastId: string) => Promise<Response | null>} options.reopen `lastId` is '' if no event had an id
 * @param {(chunk: import('./chat-stream.js').Chunk) => void} options.onChunk
 * @param {() => void} options.onLost called when the connection is lost, before the attempts to read the reply again
 * @param {() => void} options.onResumed called when an attempt has succeeded, before the chunks that follow
 * @param {AbortSignal} options.signal
 * @param {(ms: number, signal: AbortSignal) => Promise<void>} [options.pause]
 * @returns {Promise<Ending>}
 */
export async function followReply(first, { reopen, onChunk, onLost, onResumed, signal, pause = sleep }) {
  const position = { id: '' };
  let lastId = ''; // of the event that was the newest one before the last loss
  let attempt = 0; // since the reply last brought something new: a stream that only repeats itself is not read for ever
  /** @type {Ending} */
  let ending = null;

  /** @param {Response} response */
  async function read(response) {
    try {
      // Without `RESUME_SECONDS`, the server ends a reply when the connection that requested it is closed.
      for await (const chunk of readUiStream(response, position, response === first)) {
        if (position.id !== lastId) attempt = 0;
        lastId = position.id;
        onChunk(chunk);
        ending = endingOf(chunk) ?? ending;
      }
    } catch (error) {
      if (error instanceof NetworkError) return;
      if (!(error instanceof StreamFormatError)) console.error(error); // an error of the page itself, for its developers
      else if (!ending) console.warn(error.message);
    }
  }

  /** @returns {Promise<Response | null>} */
  async function search() {
    while (attempt < PAUSES.length && !signal.aborted) {
      await pause(PAUSES[attempt], signal);
      attempt += 1;
      try {
        return await reopen(position.id);
      } catch (error) {
        if (error instanceof HeldBack) attempt = 0;
        else if (!isTemporary(error)) return null;
      }
    }
    return null;
  }

  if (first) await read(first);
  while (!ending && !signal.aborted) {
    onLost();
    const response = await search();
    if (!response) break;
    onResumed();
    await read(response);
  }
  return ending;
}

/** @param {unknown} error whether the next attempt may succeed */
function isTemporary(error) {
  return error instanceof NetworkError || (error instanceof ApiError && error.status >= 500);
}

/** @param {number} ms @param {AbortSignal} signal ends the pause early @returns {Promise<void>} */
function sleep(ms, signal) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Asks the server to stop the reply of a chat. The server stores the partial reply, then ends the stream.
 * @param {Transport} transport
 * @param {string} chatId
 * @param {AbortController} turn aborted when the turn has ended, or here if it does not end in time
 */
export async function stopReply(transport, chatId, turn) {
  const { signal } = turn;
  const timer = setTimeout(() => turn.abort(), STOP_TIMEOUT); // the server may not answer at all
  try {
    while (!signal.aborted) {
      await transport.call('POST', `/api/ai/chat/${encodeURIComponent(chatId)}/stop`, { body: {}, signal });
      await sleep(STOP_INTERVAL, signal);
    }
  } catch {
    turn.abort(); // if the server can't be reached, only the stream is aborted
  } finally {
    clearTimeout(timer);
  }
}
