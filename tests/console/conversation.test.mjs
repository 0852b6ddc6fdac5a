// A conversation keeps the typed text, however its turn ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createTransport, queryString } from '../../service/browser/shared/api-transport.js';
import { createDrafts } from '../../service/browser/page/drafts.js';
import { ApiError, NetworkError, errorText } from '../../service/browser/shared/errors.js';
import { messagesOf } from '../../service/browser/chat/messages.js';
import { hrefOf, parseRoute } from '../../service/browser/page/route.js';
import { reveal } from '../../service/browser/chat/reveal.js';
import { subjectOf, tidyToken } from '../../service/browser/shared/token-claims.js';
import { timeZone } from '../../service/browser/page/time-zone.js';
import { FakeStorage, conversation, stream, text } from './conversations.mjs';

test('a finished turn joins the messages', async () => {
  const { talk, said, drafts } = conversation({ answers: [stream(text('Hi'), { type: 'finish' })] });
  await talk.load();
  await talk.send('hello', 'm');
  assert.deepEqual(talk.messages.map((m) => m.role), ['user', 'assistant']);
  assert.deepEqual([talk.messages[1].id, talk.turn, talk.restoredText], ['msg_1', null, '']);
  assert.deepEqual(said, ['Reply ready', 'ended']);
  assert.equal(drafts.question('chat'), null);
});

test('a message says in which time zone its user is', async () => {
  const { talk, sent } = conversation({ answers: [stream({ type: 'finish' })] });
  await talk.load();
  await talk.send('what is tomorrow', 'm');
  assert.equal(sent[0].timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone);
  assert.equal(timeZone(() => 'America/Argentina/Buenos_Aires'), 'America/Argentina/Buenos_Aires');
  for (const odd of ['Etc/Unknown', '+01:00', '', undefined]) assert.equal(timeZone(() => odd), null);
});

const FAILURES = {
  'a refusal': () => new ApiError(503, { error: 'draining', message: 'Stopping.' }, 1),
  'no network': () => new NetworkError(),
  'an error chunk': () => stream(text('par'), { type: 'error', errorText: 'The model is busy.' }),
  'a lost connection': () => stream(text('par')),
  'a stream of something else': () => new Response('data: <html>\n\n'),
};
for (const [name, answer] of Object.entries(FAILURES)) {
  test(`${name} gives the text back, and sending it again uses the same id`, async () => {
    const answers = [answer(), stream(text('Hi'), { type: 'finish' })];
    const { talk, sent, drafts } = conversation({ answers });
    await talk.load();
    await talk.send('hello', 'm');
    assert.deepEqual([talk.phase, talk.restoredText, talk.turn.reply.state], ['idle', 'hello', 'failed']);
    assert.ok(talk.problem.length > 5);
    assert.equal(drafts.question('chat').text, 'hello');
    await talk.send('hello', 'm');
    assert.equal(sent[1].userMessageId, sent[0].userMessageId);
    assert.deepEqual([sent[0].trigger, sent[1].trigger], [undefined, 'regenerate-message']);
    assert.deepEqual([talk.turn, talk.problem], [null, '']);
  });
}

test('another text is another message', async () => {
  const answers = [stream(), stream(text('Hi'), { type: 'finish' })];
  const { talk, sent } = conversation({ answers });
  await talk.load();
  await talk.send('hello', 'm');
  await talk.send('hello!', 'm');
  assert.notEqual(sent[1].userMessageId, sent[0].userMessageId);
});

test('an id that another message has is not used again', async () => {
  const taken = new ApiError(409, { error: 'conflict', message: 'In use.' });
  const { talk, sent } = conversation({ answers: [taken, stream({ type: 'finish' })] });
  await talk.load();
  await talk.send('hello', 'm');
  await talk.send('hello', 'm');
  assert.notEqual(sent[1].userMessageId, sent[0].userMessageId);
});

test('a stopped turn that is stored stays; one that is not gives the text back', async () => {
  for (const stored of [true, false]) {
    const { talk, sent, rows, said } = conversation({ answers: [stream(text('1 2'), { type: 'abort' })] });
    await talk.load();
    const turn = talk.send('count', 'm');
    const id = sent.at(-1).userMessageId;
    if (stored) rows.push({ recordId: id, data: { role: 'user', content: 'count' } });
    await turn;
    assert.deepEqual([talk.restoredText, talk.turn], [stored ? '' : 'count', null]);
    assert.equal(talk.messages.length, stored ? 1 : 0);
    assert.equal(talk.nothingStored, !stored);
    assert.deepEqual(said, ['Stopped', 'ended']);
  }
});

test('a message that was being sent when the page was left comes back, unless it is stored', async () => {
  for (const stored of [true, false]) {
    const storage = new FakeStorage();
    createDrafts(storage, 'alice').setQuestion('chat', { id: 'u1', text: 'hello' });
    const rows = stored ? [{ recordId: 'u1', data: { role: 'user', content: 'hello' } }] : [];
    const { talk } = conversation({ rows, storage });
    await talk.load();
    assert.equal(talk.restoredText, stored ? '' : 'hello');
  }
});

test('a message that is stored after the first load leaves the composer', async () => {
  const storage = new FakeStorage();
  createDrafts(storage, 'alice').setQuestion('chat', { id: 'u1', text: 'hello' });
  const { talk, rows, drafts } = conversation({ storage });
  await talk.load();
  talk.restoredText = '';
  await talk.refresh('later');
  assert.deepEqual([talk.restoredText, talk.storedText], ['', ''], 'once is enough');
  rows.push({ recordId: 'u1', data: { role: 'user', content: 'hello' } });
  await talk.refresh('later');
  assert.deepEqual([talk.restoredText, talk.storedText, drafts.question('chat')], ['', 'hello', null]);
});

test('a failed turn stays, whatever has changed in its chat', async () => {
  const { talk, rows, drafts } = conversation({ answers: [stream(text('par'))] });
  await talk.load();
  await talk.send('hello', 'm');
  rows.push({ recordId: drafts.question('chat').id, data: { role: 'user', content: 'hello' } });
  await talk.refresh('later');
  assert.deepEqual([talk.turn.reply.state, talk.restoredText, talk.storedText], ['failed', 'hello', '']);
  assert.equal(drafts.question('chat').text, 'hello');
});

test('another tab’s turn is read again behind the earlier messages that are shown', async () => {
  const row = (id) => ({ recordId: id, data: { role: 'user', content: id } });
  const { talk, transport } = conversation({});
  const pages = { null: ['m4', 'm3'], c1: ['m2', 'm1'] };
  transport.get = async (_path, { cursor }) => {
    const nextCursor = cursor ? null : 'c1';
    return { records: pages[cursor].map(row), nextCursor };
  };
  const shown = () => [talk.messages.map((m) => m.id).join(), talk.earlier];
  await talk.load();
  await talk.loadEarlier();
  pages.null = ['m5', 'm4', 'm3'];
  await talk.refresh('later');
  assert.deepEqual(shown(), ['m1,m2,m3,m4,m5', null]);
  pages.null = ['m9', 'm8'];
  await talk.refresh('later');
  assert.deepEqual(shown(), ['m8,m9', 'c1'], 'the messages between are not loaded');
});

test('a change during a turn or during loading is not missed', async () => {
  const { talk, rows, transport } = conversation({ answers: [stream(text('Hi'), { type: 'finish' })] });
  const loading = talk.load();
  await talk.refresh('later');
  rows.push({ recordId: 'u', data: { role: 'user', content: 'from elsewhere' } });
  await loading;
  assert.equal(talk.messages.at(-1)?.text, 'from elsewhere');
  const asking = talk.send('hello', 'm');
  await talk.refresh('later');
  let reads = 0;
  const get = transport.get;
  transport.get = (...options) => ((reads += 1), get(...options));
  await asking;
  assert.equal(reads, 1);
});

test('messages are not read again because the list reports the last one of them', async () => {
  const row = { recordId: 'u', data: { role: 'user', content: 'hello' }, createdAt: '2026-02' };
  for (const [reported, reads] of [['2026-02', 1], ['2026-03', 2]]) {
    for (const isEarly of [true, false]) {
      const { talk, transport } = conversation({ rows: [row] });
      let asked = 0;
      const get = transport.get;
      transport.get = (...options) => ((asked += 1), get(...options));
      const loading = talk.load();
      if (isEarly) talk.refresh(reported);
      await loading;
      if (!isEarly) await talk.refresh(reported);
      assert.equal(asked, reads, `${reported}, ${isEarly ? 'while they load' : 'later'}`);
    }
  }
});

test('nor if the list reports it while a running reply is looked for', async () => {
  const row = { recordId: 'u', data: { role: 'user', content: 'hello' }, createdAt: '2026-02' };
  const { talk, transport } = conversation({ rows: [row] });
  const get = transport.get;
  let [asked, found] = [0, () => {}];
  transport.get = (...options) => ((asked += 1), get(...options));
  transport.read = () => new Promise((resolve) => (found = () => resolve(new Response(null, { status: 204 }))));
  const loading = talk.load();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(talk.messages.length, 1);
  talk.refresh('2026-02');
  found();
  await loading;
  assert.deepEqual([asked, talk.phase], [1, 'idle']);
});

test('drafts are one user’s alone', () => {
  const storage = new FakeStorage();
  createDrafts(storage, 'alice').set('chat', 'secret');
  assert.equal(createDrafts(storage, 'bob').get('chat'), '');
  createDrafts(storage, 'alice').clear();
  assert.equal(createDrafts(storage, 'alice').get('chat'), '');
});

test('nothing is kept after signing out', () => {
  const storage = new FakeStorage();
  const drafts = createDrafts(storage, 'alice');
  drafts.set('canvas:c', 'half-written');
  drafts.clear();
  drafts.set('canvas:c', 'half-written'); // by a page that is being left
  assert.equal(createDrafts(storage, 'alice').get('canvas:c'), '');
});

test('stored messages show their calls as the stream did', () => {
  const parts = [
    { type: 'step-start' },
    { type: 'tool-records.get', toolCallId: 'a', state: 'output-available', input: { x: 1 }, output: [] },
    { type: 'tool-records.get', toolCallId: 'b', state: 'output-error', rawInput: 5, errorText: 'no' },
    { type: 'tool-records.get', toolCallId: 'c', state: 'output-error', input: {}, errorText: 'interrupted' },
    { type: 'text', text: 'done', state: 'done' },
  ];
  const record = { recordId: 'm', data: { role: 'assistant', content: 'done', parts } };
  const [{ parts: shown }] = messagesOf([record]);
  assert.deepEqual(shown.map((part) => part.state ?? part.text), ['done', 'input-refused', 'failed', 'done']);
  assert.deepEqual(shown.map((part) => part.name), ['records.get', 'records.get', 'records.get', undefined]);
});

test('a request carries the bearer, and a refusal carries its reasons', async () => {
  const refused = [];
  const answer = { error: 'invalid_request', message: 'Not valid.', details: { title: ['Too long.'] } };
  const fetch = async (path, { headers }) => {
    assert.equal(headers.Authorization, 'Bearer tok');
    return Response.json(answer, { status: path === '/401' ? 401 : 400, headers: { 'Retry-After': '3' } });
  };
  const transport = createTransport({ token: () => 'tok', onUnauthorized: (t) => refused.push(t), fetch });
  const error = await transport.post('/x', {}).catch((e) => e);
  assert.equal(errorText(error), 'Not valid. title: Too long. Try again in 3 s.');
  await assert.rejects(transport.get('/401'));
  assert.deepEqual(refused, ['tok']);
});

test('onAnswer is called for a JSON answer only', async () => {
  const answers = { '/ok': () => Response.json({}), '/html': () => new Response('<h1>'), '/no': () => Response.json({}, { status: 503 }) };
  let answered = 0;
  const options = { token: () => '', onUnauthorized() {}, onAnswer: () => (answered += 1) };
  const transport = createTransport({ ...options, fetch: async (path) => answers[path]() });
  await assert.rejects(transport.get('/html'));
  await assert.rejects(transport.get('/no'));
  assert.equal(answered, 0);
  await transport.get('/ok');
  assert.equal(answered, 1);
});

test('an answer that comes late does not end an outage that a later request has met', async () => {
  const told = [];
  let answer;
  const late = new Promise((resolve) => (answer = resolve));
  const answers = { '/late': () => late, '/away': () => Promise.reject(new TypeError('x')), '/ok': async () => Response.json({}) };
  const options = { token: () => '', onAnswer: () => told.push('answer'), onUnreachable: () => told.push('unreachable') };
  const transport = createTransport({ ...options, fetch: (path) => answers[path]() });
  const first = transport.get('/late');
  await assert.rejects(transport.get('/away'), NetworkError);
  answer(Response.json({}));
  await first;
  assert.deepEqual(told, ['unreachable']);
  await transport.get('/ok');
  assert.deepEqual(told, ['unreachable', 'answer']);
});

test('a request without a response is given up after a minute and a half, but not a long call, a large body or an answer that has begun', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const told = [];
  const bodies = [];
  const fetch = (path, { signal }) => new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    if (path === '/slow') resolve(new Response(new ReadableStream({ start: (body) => void bodies.push(body) })));
  });
  const transport = createTransport({ token: () => '', onUnreachable: () => told.push('unreachable'), fetch });
  const requests = {
    save: transport.patch('/api/records/notes/1', {}),
    upload: transport.patch('/api/records/notes/2', { text: 'x'.repeat(200_000) }),
    call: transport.post('/api/integrations/speech-to-text', {}),
    read: transport.get('/slow'),
  };
  const ended = {};
  for (const [name, request] of Object.entries(requests)) request.then(() => (ended[name] = 'ok'), (error) => (ended[name] = error.constructor));
  const after = async (seconds) => {
    for (let at = 0; at < seconds; at += 5) t.mock.timers.tick(5000);
    await new Promise((resolve) => setImmediate(resolve));
    return Object.keys(ended).join();
  };
  await after(0);
  assert.equal(await after(90), '');
  assert.deepEqual([await after(5), ended.save, told], ['save', NetworkError, ['unreachable']]);
  assert.equal(await after(60), 'save,upload');
  await after(600);
  bodies[0].enqueue(new TextEncoder().encode('{}'));
  bodies[0].close();
  assert.equal(await after(0), 'save,upload,read');
  assert.equal(ended.read, 'ok');
});

test('a server that can’t be reached, and a proxy’s page', async () => {
  const away = createTransport({ token: () => '', onUnauthorized() {}, fetch: async () => { throw new TypeError('x'); } });
  await assert.rejects(away.get('/x'), NetworkError);
  const html = async () => new Response('<h1>502</h1>', { status: 502 });
  const behind = createTransport({ token: () => '', onUnauthorized() {}, fetch: html });
  await assert.rejects(behind.get('/x'), { status: 502, message: 'The server answered 502.' });
});

test('queries, routes and tokens', () => {
  assert.equal(queryString({ where: { a: 1 }, cursor: null, limit: 5 }), '?where=%7B%22a%22%3A1%7D&limit=5');
  assert.deepEqual(parseRoute(hrefOf('chat', 'a/b c')), { view: 'chat', id: 'a/b c' });
  assert.deepEqual(parseRoute(''), { view: 'chat', id: null });
  assert.deepEqual(parseRoute('#/chat/%'), { view: 'chat', id: null });
  assert.equal(tidyToken(' Authorization: Bearer ey.\n a.b \n'), 'ey.a.b');
  const payload = Buffer.from(JSON.stringify({ sub: 'zoë' })).toString('base64url');
  assert.deepEqual([subjectOf(`h.${payload}.s`), subjectOf('rubbish'), subjectOf(null)], ['zoë', '', '']);
});

test('a history that was requested before a turn and arrives after it is read again', async () => {
  const { talk, rows, transport } = conversation({ answers: [stream(text('Hi'), { type: 'finish' })] });
  const now = transport.get;
  let answer;
  transport.get = () => new Promise((resolve) => (answer = resolve));
  const early = talk.load();
  await talk.send('hello', 'm');
  assert.deepEqual(talk.messages.map((m) => m.role), ['user', 'assistant']);
  rows.push({ recordId: 'u', data: { role: 'user', content: 'all of it' } });
  transport.get = now;
  answer({ records: [], nextCursor: null });
  await early;
  assert.deepEqual(talk.messages.map((m) => m.text), ['all of it']);
});

test('an answer with the messages that a later one has overtaken is not shown', async () => {
  const { talk, rows, transport } = conversation({ rows: [{ recordId: 'u', data: { role: 'user', content: 'first' } }] });
  await talk.load();
  const answers = [];
  transport.get = () => new Promise((resolve) => answers.push(resolve));
  const reads = [talk.refresh('later'), talk.refresh('later')];
  answers[1]({ records: [{ recordId: 'v', data: { role: 'user', content: 'second' } }, ...rows], nextCursor: null });
  await reads[1];
  answers[0]({ records: [...rows], nextCursor: null });
  await reads[0];
  assert.deepEqual(talk.messages.map((m) => m.text), ['first', 'second']);
});

test('a message that is sent while an ended turn loads what it has missed is not lost', async () => {
  const refusal = new ApiError(503, { error: 'draining', message: 'Stopping.' }, 1);
  const answers = [stream(text('Hi'), { type: 'finish' }), refusal, stream({ type: 'finish' })];
  const { talk, sent, transport } = conversation({ answers });
  await talk.load();
  const now = transport.get;
  let answer;
  const loading = new Promise((began) => {
    transport.get = () => (began(), new Promise((resolve) => (answer = resolve)));
  });
  const first = talk.send('hello', 'm');
  await talk.refresh('later'); // a change that the running turn has to load at its end
  await loading;
  assert.equal(talk.phase, 'idle');
  transport.get = now;
  const second = talk.send('and more', 'm');
  answer({ records: [], nextCursor: null });
  await Promise.all([first, second]);
  assert.deepEqual(sent.map((body) => body.content), ['hello', 'and more']);
  assert.deepEqual([talk.phase, talk.restoredText], ['idle', 'and more']);
  await talk.send('and more', 'm');
  assert.equal(sent[2].userMessageId, sent[1].userMessageId);
});

test('a fault of the server is told with the id by which its operator finds it', async () => {
  const said = async (status) => {
    const headers = { 'X-Request-Id': 'f00d' };
    const fetch = async () => Response.json({ error: 'x', message: 'No.' }, { status, headers });
    return errorText(await createTransport({ token: () => 'tok', fetch }).get('/x').catch((error) => error));
  };
  assert.deepEqual([await said(502), await said(404)], ['No. Request id: f00d.', 'No.']);
});

test('a stop that comes when the reply has just ended stops nothing, and the next message can be sent', async () => {
  const answers = [stream(text('Hi'), { type: 'finish' }), stream(text('Ho'), { type: 'finish' })];
  const { talk, sent } = conversation({ answers });
  await talk.load();
  await talk.send('hello', 'm');
  await talk.stop(); // its button is drawn until the next frame
  assert.deepEqual([talk.phase, sent.length], ['idle', 1]);
  await talk.send('and more', 'm');
  assert.equal(talk.messages.length, 4);
});

test('a request to stop is taken back when the turn has ended, and when the next one begins', async () => {
  for (const isNext of [false, true]) {
    /** @type {ReadableStreamDefaultController<Uint8Array>} */
    let reply;
    const running = new Response(new ReadableStream({ start: (controller) => void (reply = controller) }));
    const { talk, transport } = conversation({ answers: [running, stream(text('Ho'), { type: 'finish' })] });
    await talk.load();
    const turn = talk.send('hello', 'm');
    /** @type {AbortSignal} */
    let stopping;
    transport.call = (_method, _path, { signal }) =>
      new Promise((_resolve, reject) => (stopping = signal).addEventListener('abort', () => reject(signal.reason)));
    const stopped = talk.stop();
    await talk.refresh('2026-11-30T00:00:00Z'); // so that the messages are read when the turn ends
    const { get } = transport;
    if (isNext) transport.get = () => new Promise(() => {});
    reply.enqueue(new TextEncoder().encode('data: {"type":"finish"}\n\n'));
    reply.close();
    while (talk.phase !== 'idle') await new Promise((resolve) => setImmediate(resolve));
    transport.get = get;
    await (isNext ? talk.send('and more', 'm') : turn);
    assert.equal(stopping.aborted, true);
    await stopped;
  }
});

test('a message that is sent when another tab’s reply has just begun comes back', async () => {
  const { talk, drafts } = conversation({ replies: [new Response(null, { status: 204 }), new Response(new ReadableStream())] });
  await talk.load();
  talk.watch();
  while (talk.phase === 'idle') await new Promise((resolve) => setImmediate(resolve));
  await talk.send('hello', 'm');
  assert.deepEqual([talk.phase, talk.restoredText, drafts.question('chat')], ['asking', 'hello', null]);
  talk.leave();
});

test('a stopped turn of which nothing can be read is not taken for one that has stored nothing', async () => {
  const { talk, drafts, transport } = conversation({ answers: [stream(text('1 2'), { type: 'abort' })] });
  await talk.load();
  transport.get = async () => {
    throw new NetworkError();
  };
  await talk.send('count', 'm');
  assert.deepEqual([talk.phase, talk.nothingStored, talk.restoredText], ['idle', false, 'count']);
  assert.equal(talk.turn.reply.parts[0].text, '1 2', 'what it has said stays on the screen');
  assert.equal(drafts.question('chat').text, 'count');
});

test('earlier messages that are asked for twice are shown once', async () => {
  const row = (id) => ({ recordId: id, data: { role: 'user', content: id } });
  const { talk, transport } = conversation({});
  const pages = { null: [['m4'], 'c1'], c1: [['m3', 'm2'], 'c2'], c2: [['m1'], null] };
  transport.get = async (_path, { cursor }) => ({ records: pages[cursor][0].map(row), nextCursor: pages[cursor][1] });
  await talk.load();
  await Promise.all([talk.loadEarlier(), talk.loadEarlier()]);
  assert.deepEqual([talk.messages.map((m) => m.id).join(), talk.earlier], ['m2,m3,m4', 'c2']);
  await Promise.all([talk.loadEarlier(), talk.loadEarlier()]);
  assert.deepEqual([talk.messages.map((m) => m.id).join(), talk.earlier], ['m1,m2,m3,m4', null]);
});

test('a message that was found far back comes with few requests', async () => {
  const { talk, transport } = conversation({});
  const asked = [];
  transport.get = async (_path, { cursor, limit }) => {
    asked.push(limit);
    const [newest, oldest] = [1000 - (cursor ?? 0), Math.max(1000 - (cursor ?? 0) - limit, 0)];
    const ids = Array.from({ length: newest - oldest }, (_, at) => `m${newest - at}`);
    const records = ids.map((recordId) => ({ recordId, data: { role: 'user', content: recordId } }));
    return { records, nextCursor: oldest ? 1000 - oldest : null };
  };
  Object.assign(globalThis, { requestAnimationFrame: setImmediate, CSS: { escape: String } });
  await talk.load();
  await reveal(talk, { querySelector: () => null }, 'm1', () => true);
  assert.deepEqual([asked.length, talk.messages.length, talk.messages[0].id], [6, 1000, 'm1']);
});

/** Makes the requests for messages fail until the returned function is called. */
function breakReads(transport) {
  const { get } = transport;
  transport.get = async () => {
    throw new NetworkError();
  };
  return () => (transport.get = get);
}

test('messages that could not be read are read when their chat is shown again, and the error disappears', async () => {
  const { talk, rows, transport } = conversation({ rows: [{ recordId: 'u', data: { role: 'user', content: 'first' } }] });
  const repair = breakReads(transport);
  await talk.load();
  assert.deepEqual([talk.phase, talk.messages.length, /can’t be reached/.test(talk.problem)], ['idle', 0, true]);
  repair();
  await talk.watch();
  assert.deepEqual([talk.phase, talk.messages.length, talk.problem], ['idle', 1, '']);
  const breakAgain = breakReads(transport);
  rows.push({ recordId: 'v', data: { role: 'user', content: 'second' } });
  await talk.refresh('later');
  breakAgain();
  await talk.readMissed();
  assert.deepEqual([talk.messages.length, talk.problem], [2, '']);
  transport.get = assert.fail;
  await talk.readMissed();
});

test('a question that was being sent when the page was left comes back when the first reading succeeds late', async () => {
  const storage = new FakeStorage();
  createDrafts(storage, 'alice').setQuestion('chat', { id: 'u1', text: 'hello' });
  const { talk, transport, searches } = conversation({ storage });
  const repair = breakReads(transport);
  await talk.load();
  repair();
  await talk.watch();
  assert.deepEqual([talk.restoredText, searches.length], ['hello', 2], 'and a running reply is searched for again');
});

test('a turn in a chat whose messages could not be read loads them at its end', async () => {
  for (const isSentMeanwhile of [true, false]) {
    const { talk, rows, transport } = conversation({ answers: [stream(text('Hi'), { type: 'finish' })] });
    const { get } = transport;
    let refuse;
    transport.get = () => new Promise((_, reject) => (refuse = () => reject(new NetworkError())));
    const loading = talk.load();
    transport.get = get;
    if (!isSentMeanwhile) await (refuse(), loading);
    rows.push({ recordId: 'u', data: { role: 'user', content: 'from yesterday' } });
    const turn = talk.send('hello', 'm');
    refuse();
    await Promise.all([loading, turn]);
    assert.deepEqual(talk.messages.map((m) => m.text), ['from yesterday']);
  }
});

test('the error of earlier messages that could not be read disappears when they are read', async () => {
  const row = (recordId) => ({ recordId, data: { role: 'user', content: recordId } });
  const { talk, transport } = conversation({});
  transport.get = async (_path, { cursor }) => ({ records: [row(cursor ? 'm1' : 'm2')], nextCursor: cursor ? null : 'c1' });
  await talk.load();
  const repair = breakReads(transport);
  await talk.loadEarlier();
  assert.match(talk.problem, /can’t be reached/);
  repair();
  await talk.loadEarlier();
  assert.deepEqual([talk.messages.length, talk.problem], [2, '']);
});

test('the error of a failed turn stays while the messages can’t be read', async () => {
  const { talk, transport } = conversation({ answers: [stream(text('par'))] });
  await talk.load();
  breakReads(transport);
  await talk.send('hello', 'm');
  assert.match(talk.problem, /connection was lost/);
  await talk.readMissed();
  assert.match(talk.problem, /connection was lost/);
});
