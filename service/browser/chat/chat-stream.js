// Reads the UI message stream: bytes → lines → chunks. chat-actions.js interprets the chunks.

import { NetworkError, StreamFormatError } from '../shared/errors.js';

const CHECK = 5000; // ms
const MOST_SILENT = 6; // checks without a byte; the server sends a comment after each 10 s of silence

/** @typedef {{type: string} & Record<string, any>} Chunk */

/**
 * Decodes bytes that may be split anywhere, even inside a character or between two newlines.
 * @param {{id: string}} [position] its `id` is set to the id of the last complete event that has one
 * @returns {{push: (bytes: Uint8Array) => Chunk[]}}
 */
export function createChunkDecoder(position = { id: '' }) {
  const characters = new TextDecoder();
  let rest = '';
  let id = ''; // of the event whose data comes next
  /** @param {string} line */
  function read(line) {
    if (line.startsWith('id:')) id = line.slice(3).trim();
    const chunks = chunksOf(line);
    if (chunks.length && id) position.id = id;
    return chunks;
  }
  return {
    push(bytes) {
      const lines = (rest + characters.decode(bytes, { stream: true })).split('\n');
      // An incomplete line waits for the next bytes; at the end of the stream it is dropped.
      rest = lines.pop() ?? '';
      return lines.flatMap(read);
    },
  };
}

/**
 * @param {Response} response
 * @param {{id: string}} [position] as for the decoder
 * @param {boolean} [isKept] whether the connection stays open after a silence, until its request is aborted
 * @returns {AsyncGenerator<Chunk>} ends with the body, or when no byte has come for half a minute; throws a `NetworkError`
 *   when the connection breaks, and a `StreamFormatError` when the body is no such stream
 */
export async function* readUiStream(response, position, isKept = false) {
  const body = /** @type {ReadableStream<Uint8Array>} */ (response.body);
  const reader = body.getReader();
  const decoder = createChunkDecoder(position);
  const close = () => void reader.cancel().catch(() => {});
  const leave = () => {
    reader.releaseLock(); // the read that waits then fails
    discard(response);
  };
  const silence = watchSilence(isKept ? leave : close);
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new NetworkError();
      });
      if (done) return;
      silence.end();
      yield* decoder.push(value);
    }
  } finally {
    silence.stop();
    close(); // without this, a stream that is not read to its end would keep its connection
  }
}

/** Reads a response to its end, so that the server can send it. @param {Response} response */
export function discard({ body }) {
  body?.pipeTo(new WritableStream()).catch(() => {});
}

/**
 * Awaits the head of a response, after which the server sends at least a comment every 10 s.
 * @param {Promise<Response>} request
 * @returns {Promise<Response | null>} null when no head has come for half a minute
 */
export async function headOf(request) {
  /** @type {(none: null) => void} */
  let giveUp;
  const timeout = new Promise((/** @type {(none: null) => void} */ resolve) => (giveUp = resolve));
  const silence = watchSilence(() => giveUp(null));
  return Promise.race([request, timeout]).finally(silence.stop);
}

/**
 * Notices a connection that is lost without being closed, for example when the network has changed. Checks are counted, not
 * the time: a computer that has slept reads first what has come meanwhile.
 * @param {() => void} onSilence
 */
function watchSilence(onSilence) {
  let silent = 0; // checks since the last byte
  const timer = setInterval(() => {
    silent += 1;
    if (silent > MOST_SILENT) onSilence();
  }, CHECK);
  return { end: () => void (silent = 0), stop: () => clearInterval(timer) };
}

/** @param {string} line @returns {Chunk[]} none for comments, blank lines and `[DONE]` */
function chunksOf(line) {
  if (!line.startsWith('data:')) return [];
  const data = line.slice(5).trim();
  if (data === '[DONE]') return [];
  try {
    return [JSON.parse(data)];
  } catch {
    throw new StreamFormatError('A line of the stream is not JSON.');
  }
}
