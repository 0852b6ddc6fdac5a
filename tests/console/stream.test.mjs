// The stream: bytes → chunks → actions → reply.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { actionOf, endingOf } from '../../service/browser/chat/chat-actions.js';
import { EMPTY_REPLY, reduce } from '../../service/browser/chat/chat-reducer.js';
import { createChunkDecoder, readUiStream } from '../../service/browser/chat/chat-stream.js';

const ACTIONS = [
  'abort', 'append-text', 'fail-tool-input', 'fail-tool-output', 'finalize-tool-call',
  'stream-error', 'upsert-tool-call',
];

const CHUNKS = [
  { type: 'start', messageId: 'm', messageMetadata: { turnId: 't' } },
  { type: 'start-step' },
  { type: 'text-start', id: 'a' },
  { type: 'text-delta', id: 'a', delta: 'Grüße, 你好 ' },
  { type: 'text-delta', id: 'a', delta: '👩‍🚀\nnext: data: [DONE]' },
  { type: 'text-end', id: 'a' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'records.query' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"collec' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: 'tion":"é"}' },
  { type: 'tool-input-available', toolCallId: 'c1', toolName: 'records.query', input: { collection: 'é' } },
  { type: 'tool-input-error', toolCallId: 'c2', toolName: 'schema.describe', input: 5, errorText: 'no' },
  { type: 'tool-input-available', toolCallId: 'c3', toolName: 'user.current', input: {} },
  { type: 'tool-output-available', toolCallId: 'c1', output: null },
  { type: 'tool-output-error', toolCallId: 'c3', errorText: 'broken' },
  { type: 'finish-step' },
  { type: 'start-step' },
  { type: 'text-start', id: 'b' },
  { type: 'text-delta', id: 'b', delta: 'done' },
  { type: 'text-end', id: 'b' },
  { type: 'finish-step' },
  { type: 'finish', messageMetadata: { finishReason: 'stop' } },
];

const REPLY = {
  state: 'streaming',
  message: '',
  parts: [
    { kind: 'text', id: 'a', text: 'Grüße, 你好 👩‍🚀\nnext: data: [DONE]' },
    { kind: 'call', id: 'c1', name: 'records.query', state: 'done', inputText: '{"collection":"é"}',
      input: { collection: 'é' }, output: null },
    { kind: 'call', id: 'c2', name: 'schema.describe', state: 'input-refused', inputText: '', input: 5,
      message: 'no' },
    { kind: 'call', id: 'c3', name: 'user.current', state: 'failed', inputText: '', input: {},
      message: 'broken' },
    { kind: 'text', id: 'b', text: 'done' },
  ],
};

function bytesOf(chunks, end = '\n\n') {
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}${end}`);
  const all = [': stream-open', end, ...events, ': keep-alive', end, 'data: [DONE]', end];
  return new TextEncoder().encode(all.join(''));
}

function replyOf(pieces) {
  const decoder = createChunkDecoder();
  const actions = pieces.flatMap((piece) => decoder.push(piece)).map(actionOf).filter(Boolean);
  return actions.reduce(reduce, EMPTY_REPLY);
}

function cutAt(bytes, places) {
  const edges = [0, ...places, bytes.length];
  return edges.slice(1).map((end, at) => bytes.subarray(edges[at], end));
}

test('the whole stream gives the reply', () => {
  assert.deepEqual(replyOf([bytesOf(CHUNKS)]), REPLY);
  assert.deepEqual(replyOf([bytesOf(CHUNKS, '\r\n\r\n')]), REPLY);
});

test('a cut at any byte gives the same reply', () => {
  const bytes = bytesOf(CHUNKS);
  for (let at = 0; at <= bytes.length; at += 1) assert.deepEqual(replyOf(cutAt(bytes, [at])), REPLY);
});

test('any pieces give the same reply, single bytes too', () => {
  const bytes = bytesOf(CHUNKS, '\r\n\r\n');
  assert.deepEqual(replyOf([...bytes].map((byte) => Uint8Array.of(byte))), REPLY);
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let round = 0; round < 300; round += 1) {
    const places = Array.from({ length: 20 }, () => Math.floor(random() * bytes.length));
    assert.deepEqual(replyOf(cutAt(bytes, places.sort((a, b) => a - b))), REPLY);
  }
});

test('there are exactly the seven actions of the specification', () => {
  const endings = [{ type: 'error', errorText: 'x' }, { type: 'abort' }];
  const types = [...CHUNKS, ...endings].map(actionOf).filter(Boolean).map((action) => action.type);
  assert.deepEqual([...new Set(types)].sort(), ACTIONS);
  assert.throws(() => reduce(EMPTY_REPLY, { type: 'finish' }), TypeError);
});

test('chunks without content give no action', () => {
  for (const type of ['start', 'start-step', 'finish-step', 'finish', 'text-start', 'text-end',
    'message-metadata', 'data-later', 'reasoning-delta']) {
    assert.equal(actionOf({ type }), null);
  }
});

test('a stream ends with an ending chunk, or was interrupted', () => {
  const endings = (chunks) => chunks.map(endingOf).filter(Boolean);
  assert.deepEqual(endings(CHUNKS), ['finish']);
  assert.deepEqual(endings(CHUNKS.slice(0, -1)), []);
  assert.equal(reduce(REPLY, { type: 'stream-error', message: 'x' }).state, 'failed');
  assert.equal(reduce(REPLY, { type: 'abort' }).state, 'aborted');
});

test('the reducer does not change its input', () => {
  const frozen = Object.freeze({ ...REPLY, parts: Object.freeze(REPLY.parts.map(Object.freeze)) });
  for (const action of CHUNKS.map(actionOf).filter(Boolean)) reduce(frozen, action);
});

test('a refused input stays refused when its output fails as well', () => {
  const refused = reduce(EMPTY_REPLY, { type: 'fail-tool-input', callId: 'c', name: 'n', input: 1, message: 'no' });
  const after = reduce(refused, { type: 'fail-tool-output', callId: 'c', message: 'again' });
  assert.deepEqual(after.parts[0], refused.parts[0]);
});

test('a response is read to its end, and an unfinished line is no chunk', async () => {
  const bytes = bytesOf(CHUNKS);
  const read = [];
  for await (const chunk of readUiStream(new Response(bytes.subarray(0, bytes.length - 80)))) read.push(chunk);
  assert.ok(read.length > 10);
  assert.equal(read.some((chunk) => chunk.type === 'finish'), false);
});

test('a line that is not JSON ends the reading', async () => {
  const reading = readUiStream(new Response('data: <html>\n\n')).next();
  await assert.rejects(reading, { message: /not JSON/ });
});

/** A stream that a test writes to, and its chunks as they are read. */
function open() {
  const opened = { chunks: [], isOver: false };
  const body = new ReadableStream({ start: (controller) => Object.assign(opened, { write: (text) => controller.enqueue(new TextEncoder().encode(text)) }) });
  const read = async () => {
    for await (const chunk of readUiStream(new Response(body))) opened.chunks.push(chunk);
    opened.isOver = true;
  };
  read();
  return opened;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a stream without a byte for half a minute is over, and one with comments is not', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const stream = open();
  for (let comment = 0; comment < 6; comment += 1) {
    t.mock.timers.tick(10_000);
    stream.write(': keep-alive\n\n');
    await settled();
  }
  stream.write('data: {"type":"start"}\n\n');
  await settled();
  assert.deepEqual([stream.chunks.length, stream.isOver], [1, false]);
  t.mock.timers.tick(30_000);
  await settled();
  assert.equal(stream.isOver, false);
  t.mock.timers.tick(10_000);
  await settled();
  assert.equal(stream.isOver, true);
});
