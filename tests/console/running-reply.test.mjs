// A running reply is read when its chat is opened, and taken up again when its connection is lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createDrafts } from '../../service/browser/page/drafts.js';
import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { createChunkDecoder } from '../../service/browser/chat/chat-stream.js';
import { HeldBack, followReply, openRunning, stopReply } from '../../service/browser/chat/running-reply.js';
import { FakeStorage, conversation, stream, text } from './conversations.mjs';

const START = { type: 'start', messageId: 'a1', messageMetadata: { userMessage: { id: 'u1', content: 'hello' } } };
const ASKED = { type: 'data-approval', id: 'c1', data: { endpoint: 'e', state: 'asked' } };
const CALL = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'n', input: {} };
const FINISH = { type: 'finish' };
const ROWS = [
  { recordId: 'u1', data: { role: 'user', content: 'hello' } },
  { recordId: 'a1', data: { role: 'assistant', content: 'Hi' } },
];
const events = (...chunks) =>
  new Response(chunks.map((chunk, at) => `id: t:${at + 1}\ndata: ${JSON.stringify(chunk)}\n\n`).join(''));
const NONE = () => new Response(null, { status: 204 });
const shown = (talk) => talk.messages.map(({ id, text: said }) => [id, said]);

/** Until the turn is over. */
const idle = (talk) =>
  new Promise((resolve) => {
    const look = () => talk.phase === 'idle' && setImmediate(resolve);
    talk.onChange(look);
    look();
  });

/** A tab that has sent this message and was reloaded. */
function reloaded() {
  const storage = new FakeStorage();
  createDrafts(storage, 'alice').setQuestion('chat', { id: 'u1', text: 'hello' });
  return storage;
}

test('a reply that runs when its chat is opened is shown with its question, then stored', async () => {
  const { talk, rows, said } = conversation({ replies: [events(START, text('Hi'), ASKED, FINISH)] });
  const states = [];
  talk.onChange(() => states.push([talk.phase, talk.turn?.question.id, talk.turn?.reply.parts.at(-1)?.data?.state]));
  await talk.load();
  rows.push(...ROWS);
  await idle(talk);
  assert.ok(states.some((state) => state.join() === 'asking,u1,asked'));
  assert.deepEqual([shown(talk), talk.turn], [[['u1', 'hello'], ['a1', 'Hi']], null]);
  assert.deepEqual(said, ['The assistant asks whether it may call e.', 'Reply ready', 'ended']);
});

test('a chat without a running reply is looked at once, and once more when it is shown again', async () => {
  const { talk, searches } = conversation({ rows: ROWS });
  await talk.load();
  assert.deepEqual([talk.phase, talk.turn, talk.problem], ['idle', null, '']);
  await talk.refresh();
  assert.deepEqual(searches, [['/api/ai/chat/chat/stream', {}]]);
  await talk.watch();
  assert.equal(searches.length, 2);
});

test('after a reload the reply goes on, and its message does not come back to the composer', async () => {
  const { talk, drafts } = conversation({ storage: reloaded(), replies: [events(START, text('Hi'), FINISH)] });
  await talk.load();
  await idle(talk);
  assert.deepEqual([shown(talk).length, talk.restoredText, drafts.question('chat')], [2, '', null]);
});

test('a message that is not the one that runs comes back to the composer', async () => {
  const other = { ...START, messageMetadata: { userMessage: { id: 'u2', content: 'from elsewhere' } } };
  const { talk } = conversation({ storage: reloaded(), replies: [events(other)] });
  await talk.load();
  await idle(talk);
  assert.equal(talk.restoredText, 'hello');
});

test('a lost stream is read anew: the partial reply is dropped, not doubled', async () => {
  const { talk, sent, searches } = conversation({
    storage: reloaded(), // so that the message has this id
    answers: [stream({ type: 'start', messageId: 'a1' }, text('Once upon'), ASKED)],
    replies: [NONE(), new NetworkError(), events(START, text('Once upon a time'), FINISH)],
  });
  const cards = [];
  talk.onChange(() => cards.push(talk.turn?.isLost && talk.turn.reply.parts[1].data.state));
  await talk.load();
  await talk.send('hello', 'm');
  assert.equal(talk.messages.at(-1).parts[0].text, 'Once upon a time');
  assert.ok(cards.includes('left'), 'a card of a lost stream has no live buttons');
  assert.deepEqual([talk.messages.at(-1).id, sent.length, searches.length], ['a1', 1, 3]);
});

test('a stream that is lost again goes on behind the last event that is complete', async () => {
  const cut = new Response(`${await events(START, text('Once ')).text()}id: t:3\ndata: {"type":`);
  const rest = events(text('upon'), FINISH);
  const { talk, searches } = conversation({ storage: reloaded(), answers: [stream(text('On'))], replies: [NONE(), cut, rest] });
  await talk.load();
  await talk.send('hello', 'm');
  assert.deepEqual(searches.map(([, headers]) => headers), [{}, {}, { 'Last-Event-ID': 't:2' }]);
  assert.equal(talk.messages.at(-1).parts[0].text, 'Once upon');
});

test('what was stored while the connection was lost replaces the turn', async () => {
  const { talk, rows, drafts } = conversation({ answers: [stream({ type: 'start', messageId: 'a1' }, text('H'))] });
  await talk.load();
  const turn = talk.send('hello', 'm');
  const { id } = drafts.question('chat');
  rows.push({ ...ROWS[0], recordId: id }, ROWS[1]);
  await turn;
  assert.deepEqual([shown(talk), talk.turn, talk.problem], [[[id, 'hello'], ['a1', 'Hi']], null, '']);
  assert.deepEqual([talk.restoredText, drafts.question('chat')], ['', null]);
});

test('a reply that turns out to be stored after a longer outage replaces the failed turn', async () => {
  const { talk, rows, drafts } = conversation({ answers: [stream({ type: 'start', messageId: 'a1' }, text('H'))] });
  await talk.load();
  await talk.send('hello', 'm');
  assert.deepEqual([talk.restoredText, /connection was lost/.test(talk.problem)], ['hello', true]);
  const { id } = drafts.question('chat');
  rows.push({ ...ROWS[0], recordId: id });
  await talk.refresh();
  assert.equal(talk.turn?.question.id, id, 'its reply is not stored yet');
  rows.push(ROWS[1]);
  await talk.refresh();
  assert.deepEqual([shown(talk), talk.turn, talk.problem], [[[id, 'hello'], ['a1', 'Hi']], null, '']);
  assert.deepEqual([talk.restoredText, talk.storedText, drafts.question('chat')], ['', 'hello', null]);
});

test('a reply whose worker was killed says so, and gives the text back to the tab that sent it', async () => {
  const error = { type: 'error', errorText: 'The answer broke off.' };
  for (const own of [true, false]) {
    const storage = own ? reloaded() : new FakeStorage();
    const { talk } = conversation({ storage, replies: [events(START, CALL, ASKED, error)] });
    await talk.load();
    await idle(talk);
    assert.deepEqual([talk.problem, talk.restoredText], ['The answer broke off.', own ? 'hello' : '']);
    const [call, card] = talk.turn.reply.parts;
    assert.deepEqual([call.state, card.data.state], ['failed', 'left'], 'nothing runs or asks any more');
    await talk.refresh();
    assert.equal(talk.turn?.question.id, own ? 'u1' : undefined, 'a change of its chat ends what another tab shows');
  }
});

test('a page that sends while it looks for a running reply reads its own only', async () => {
  const { talk, transport } = conversation({ answers: [stream(text('mine'), FINISH)] });
  let found;
  let search;
  transport.read = (_path, signal) => new Promise((resolve) => {
    search = signal;
    found = () => resolve(events(START, text('Hi'), FINISH));
  });
  const loading = talk.load();
  await talk.send('hello', 'm');
  assert.ok(search.aborted, 'a browser has few connections');
  found();
  await loading;
  assert.deepEqual([talk.phase, talk.turn], ['idle', null]);
});

test('the search for a lost reply pauses, and ends after some attempts or when the page is left', async () => {
  for (const [error, pauses] of [[new NetworkError(), 4], [new ApiError(503, {}), 4], [new ApiError(404, {}), 1]]) {
    const slept = [];
    const reopen = async () => { throw error; };
    const pause = async (ms) => void slept.push(ms);
    const { signal } = new AbortController();
    const ending = await followReply(stream(), { reopen, onChunk() {}, onLost() {}, onResumed() {}, signal, pause });
    assert.deepEqual([ending, slept], [null, [0, 500, 1500, 4000].slice(0, pauses)]);
  }
  const left = AbortSignal.abort();
  assert.equal(await followReply(stream(), { reopen: assert.fail, onChunk() {}, onLost: assert.fail, signal: left }), null);
});

test('the id of an event counts when its data is there', () => {
  const position = { id: '' };
  const decoder = createChunkDecoder(position);
  const push = (line) => (decoder.push(new TextEncoder().encode(line)), position.id);
  assert.deepEqual(['id: t:1\n', 'data: {"type":"x"}\n', '\nid: t:2\n', 'data: [DONE]\n'].map(push), ['', 't:1', 't:1', 't:1']);
});

/** A stream that sends these events and then stays open until `cut` is called. */
function openStream(...chunks) {
  let cut;
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(new Uint8Array(await events(...chunks).arrayBuffer()));
      cut = () => controller.error(new Error('cut'));
    },
  });
  return { response: new Response(body), cut: () => cut() };
}
/** Until the condition holds. */
async function until(holds) {
  for (let tries = 0; !holds(); tries += 1) {
    assert.ok(tries < 2000);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

test('a question that waits while the connection is lost can be answered once the reply is read on', async () => {
  const first = openStream(START, text('Hi'), ASKED);
  const second = openStream(); // nothing new: the reply waits for the answer
  const { talk, searches } = conversation({ storage: reloaded(), replies: [first.response, second.response] });
  const shown = () => [talk.turn?.isLost, talk.turn?.reply.parts.at(-1)?.data?.state].join();
  await talk.load();
  await until(() => shown() === 'false,asked');
  first.cut();
  await until(() => shown() === 'true,left');
  await until(() => shown() !== 'true,left');
  assert.deepEqual([shown(), searches.at(-1)[1]], ['false,asked', { 'Last-Event-ID': 't:3' }]);
  talk.leave();
});

test('a stream that ends each time before it brings anything new is not read for ever', async () => {
  const slept = [];
  const pause = async (ms) => assert.ok(slept.push(ms) < 10);
  for (const again of [() => events(START), () => stream(START)]) {
    slept.length = 0;
    const options = { reopen: async () => again(), onChunk() {}, onLost() {}, onResumed() {}, signal: new AbortController().signal, pause };
    assert.equal(await followReply(again(), options), null);
    assert.deepEqual(slept, [0, 500, 1500, 4000]);
  }
});

/** A conversation whose message gets no response, after half a minute. */
async function unanswered(t, { rows = [], replies = [] } = {}) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { talk, drafts, transport, ...rest } = conversation({ storage: reloaded(), replies: [NONE(), ...replies] });
  await talk.load();
  let signal;
  transport.open = (_path, _body, given) => new Promise(() => (signal = given));
  const sent = talk.send('hello', 'm');
  t.mock.timers.tick(29_000);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([talk.phase, talk.turn.isLost], ['asking', false]);
  rest.rows.push(...rows);
  t.mock.timers.tick(10_000);
  return { ...rest, talk, drafts, sent, signal };
}

test('the reply to a message that gets no response in time is read again, and its request stays open meanwhile', async (t) => {
  const { talk, sent, signal, searches } = await unanswered(t, { replies: [new NetworkError(), events(START, text('Hi'), FINISH)] });
  const wasOpen = [];
  talk.onChange(() => wasOpen.push(talk.phase === 'idle' || !signal.aborted));
  await sent;
  assert.deepEqual([talk.messages.at(-1).parts[0].text, talk.problem, searches.length], ['Hi', '', 3]);
  assert.deepEqual([new Set(wasOpen), signal.aborted], [new Set([true]), true]);
});

test('a message that gets no response in time comes back to the composer, unless its reply was stored meanwhile', async (t) => {
  const lost = await unanswered(t);
  await lost.sent;
  assert.deepEqual([lost.talk.restoredText, /connection was lost/.test(lost.talk.problem)], ['hello', true]);
  t.mock.timers.reset();
  const stored = await unanswered(t, { rows: ROWS });
  await stored.sent;
  assert.deepEqual([shown(stored.talk), stored.talk.problem, stored.drafts.question('chat')], [[['u1', 'hello'], ['a1', 'Hi']], '', null]);
});

test('an attempt to read a reply again that gets no response in time is given up', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const attempts = [];
  const never = (_path, signal) => new Promise(() => attempts.push(signal));
  const opening = openRunning({ read: never, head: never }, 'chat', new AbortController().signal);
  t.mock.timers.tick(40_000);
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(40_000);
  await assert.rejects(opening, (error) => error instanceof NetworkError && !(error instanceof HeldBack));
  assert.deepEqual(attempts.map(({ aborted }) => aborted), [true, true], 'a browser has few connections');
});

test('a reply of which nothing arrives is read again as long as the server says that it runs', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { signal } = new AbortController();
  const answers = [...Array(9).fill(200), 204];
  const transport = {
    read: async () => (setImmediate(() => t.mock.timers.tick(40_000)), new Promise(() => {})),
    head: async () => new Response(null, { status: answers.shift() }),
  };
  const options = { reopen: () => openRunning(transport, 'chat', signal), onChunk() {}, onLost() {}, onResumed() {}, signal, pause: async () => {} };
  assert.deepEqual([await followReply(null, options), answers], [null, []]);
});

test('after a silence, the connection that requested a reply stays open and is read, and a later one is closed', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const connections = [];
  const connect = () => {
    const connection = { isClosed: false };
    connections.push(connection);
    const start = (controller) => (connection.controller = controller);
    return new Response(new ReadableStream({ start, cancel: () => void (connection.isClosed = true) }));
  };
  const replies = [connect(), connect(), null];
  const options = { reopen: async () => replies.shift(), onChunk() {}, onLost() {}, onResumed() {}, signal: new AbortController().signal, pause: async () => {} };
  const reading = followReply(replies.shift(), options);
  for (let round = 0; round < 2; round += 1) {
    t.mock.timers.tick(40_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(await reading, null);
  assert.deepEqual(connections.map(({ isClosed }) => isClosed), [false, true]);
  const [{ controller }] = connections;
  controller.enqueue(new Uint8Array(9));
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(controller.desiredSize, 1, 'a byte that nobody reads would fill the buffers of the server');
});

test('a stream that is not understood is closed', async () => {
  let canceled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('data: <html>\n\n')),
    cancel: () => void (canceled = true),
  });
  const options = { reopen: async () => null, onChunk() {}, onLost() {}, onResumed() {}, signal: new AbortController().signal, pause: async () => {} };
  await followReply(new Response(body), options);
  assert.equal(canceled, true, 'it would hold one of the few connections of the browser');
});

test('a stop that gets no answer gives up after five seconds, so that the stream is ended by the page', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turn = new AbortController();
  let requests = 0;
  const transport = { call: (_method, _path, { signal }) => new Promise((_, reject) => {
    requests += 1;
    signal.addEventListener('abort', () => reject(signal.reason));
  }) };
  const stopped = stopReply(transport, 'chat', turn);
  t.mock.timers.tick(4999);
  assert.deepEqual([requests, turn.signal.aborted], [1, false]);
  t.mock.timers.tick(1);
  assert.equal(turn.signal.aborted, true);
  await stopped;
  assert.equal(requests, 1);
});

test('an error of the page itself is told to its developers, and a lost connection is not', async (t) => {
  const { mock } = t.mock.method(console, 'error', () => {});
  const options = { reopen: async () => null, onLost() {}, onResumed() {}, signal: new AbortController().signal, pause: async () => {} };
  const lost = openStream(START);
  const read = followReply(lost.response, { ...options, onChunk: () => lost.cut() });
  assert.deepEqual([await read, mock.callCount()], [null, 0]);
  const fault = new TypeError('no such action');
  await followReply(events(START), { ...options, onChunk: () => { throw fault; } });
  assert.deepEqual(mock.calls.map(({ arguments: said }) => said), [[fault]]);
});
