// The endpoint explorer: search, words, code to copy, what an answer shows, and the way of a call.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cellText, hasOnlyMedia, mediaIn, tableIn } from '../../service/browser/integrations/answer-shape.js';
import { problemOf } from '../../service/browser/integrations/call-problem.js';
import { createEndpointCall } from '../../service/browser/integrations/endpoint-call.js';
import { byCategory, endpointNamed, searchEndpoints } from '../../service/browser/integrations/endpoint-search.js';
import { duration, factsAbout, priceOf } from '../../service/browser/integrations/endpoint-words.js';
import { createStoredKey } from '../../service/browser/page/stored-keys.js';
import { tokensOf } from '../../service/browser/page/json-text.js';
import { safeAddress } from '../../service/browser/page/safe-address.js';
import { curl, javascript, python, pythonLiteral, shellWord } from '../../service/browser/integrations/snippets.js';
import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { createSessionApprovals } from '../../service/browser/widgets/session-approvals.js';

const PAGE = 'http://127.0.0.1:8000/';
const PLAIN = {
  name: 'current-weather', aliases: [], category: 'science', summary: 'The weather now.', methods: ['POST', 'GET'],
  integration: 'weather', billing: 'user', credits: 0, metered: false, autoApprove: true, cache: null, perUser: null, bodyLimit: 2 ** 20,
  async: false, scopes: [], configured: true, docs: '',
};
/** @param {any} changes @returns {any} */
const endpoint = (changes) => ({ ...PLAIN, ...changes });
const ALL = [
  endpoint({}),
  endpoint({ name: 'weather-forecast', summary: 'Days to come.' }),
  endpoint({ name: 'cloudsuite/mail-send', aliases: ['send-email'], category: 'suite', integration: 'cloudsuite', summary: 'Send a message.' }),
  endpoint({ name: 'search-news', category: 'search', integration: 'websearch', summary: 'News, also about the weather.' }),
];
const names = (/** @type {any[]} */ found) => found.map(({ name }) => name);

test('every word must be found, and names come before summaries', () => {
  assert.deepEqual(names(searchEndpoints(ALL, 'weather')), ['current-weather', 'weather-forecast', 'search-news']);
  assert.deepEqual(names(searchEndpoints(ALL, 'NEWS weather')), ['search-news']);
  assert.deepEqual(names(searchEndpoints(ALL, 'send email')), ['cloudsuite/mail-send']);
  assert.deepEqual(names(searchEndpoints(ALL, 'cloudsuite/mail')), ['cloudsuite/mail-send']);
  assert.deepEqual(searchEndpoints(ALL, 'weather xyz'), []);
  assert.equal(searchEndpoints(ALL, '  '), ALL);
});

test('an endpoint is found by each of its names, and grouped by its category', () => {
  assert.equal(endpointNamed(ALL, 'send-email'), ALL[2]);
  assert.equal(endpointNamed(ALL, null), undefined);
  assert.deepEqual([...byCategory(ALL)].map(([name, all]) => [name, all.length]), [['science', 2], ['suite', 1], ['search', 1]]);
});

test('price, payer, approval and limits are said in words', () => {
  assert.equal(priceOf(endpoint({ credits: 1 })), '1 credit');
  assert.equal(priceOf(endpoint({ credits: 0.375, metered: true })), 'Up to 0.38 credits');
  assert.equal(priceOf(endpoint({ credits: 18.375, metered: true })), 'Up to 18.4 credits');
  assert.equal(priceOf(endpoint({ credits: 1.25 })), '1.25 credits', 'a fixed price is exact');
  const facts = factsAbout(endpoint({
    credits: 5, billing: 'developer', autoApprove: false, metered: true, async: true, scopes: ['x'],
    cache: { seconds: 300, shared: true }, perUser: { calls: 30, seconds: 3600 },
  }));
  assert.deepEqual(facts.map(({ term }) => term), ['Price', 'Metered', 'Approval', 'Slow', 'Cache', 'Limit', 'Account']);
  assert.equal(facts[0].text, 'Up to 5 credits for a simple call. The owner of the app pays');
  assert.deepEqual(factsAbout(PLAIN).map(({ text }) => text), ['Free', 'Not needed: it is free and only reads']);
  assert.deepEqual([90, 60, 3600, 172800].map(duration), ['90 seconds', '1 minute', '1 hour', '2 days']);
});

test('an answer that is only pictures is shown as pictures', () => {
  const only = (data) => hasOnlyMedia(tableIn(data), mediaIn(data, PAGE));
  const url = 'https://media.example/a.png';
  assert.equal(only({ images: [{ url }, { url: `${url}?2` }] }), true);
  assert.equal(only({ images: [{ url, seed: 7 }] }), false);
  assert.equal(only({ url }), false, 'there is no table');
});

test('code to copy is right for any text, and holds no token', () => {
  const call = { url: `${PAGE}api/integrations/x`, body: { text: "it's $HOME `id`\n\"ü\"", on: true, off: false, none: null, list: [1.5, {}] } };
  assert.ok(curl(call).endsWith(String.raw`-d '{"text":"it'\''s $HOME ` + '`id`' + String.raw`\n\"ü\"","on":true,"off":false,"none":null,"list":[1.5,{}]}'`));
  assert.equal(shellWord('a b'), "'a b'");
  assert.equal(shellWord(call.url), call.url);
  assert.match(python(call), /json=\{\n {8}"text": "it's \$HOME `id`\\n\\"ü\\"",\n {8}"on": True,\n {8}"off": False,\n {8}"none": None,/);
  assert.equal(pythonLiteral([]), '[]');
  const script = javascript(call).replace(/^const response = await fetch\(/, 'return (').replace(/\nconst [^]*$/, '').replace('{TOKEN}', '{1}');
  const made = new Function(script.replace('return (', 'return [').replace(/\);$/, '];'))();
  assert.deepEqual([made[0], JSON.parse(made[1].body), made[1].method], [call.url, call.body, 'POST']);
  for (const write of [curl, javascript, python]) assert.match(write(call), /Bearer \$?\{?TOKEN/);
});

test('media are found by their type, their ending and their name', () => {
  const data = {
    audio: { url: '/api/media/1?s=x', mediaType: 'audio/mpeg', bytes: 5 },
    images: [{ url: 'https://a.example/1.PNG' }, { url: 'https://a.example/1.PNG' }],
    thumbnail: { clip: 'https://a.example/c.mp4?x=1' }, image: 'https://a.example/no-ending',
    file: { url: '/api/media/2', mediaType: 'image/svg+xml' }, link: 'https://a.example/', docs: 'see https://a.example/a.png',
    bad: ['javascript:alert(1)//a.png', 'http://a.example/a.png', '//a.example/b.png', 'https://u:p@a.example/c.png'],
  };
  assert.deepEqual(mediaIn(data, PAGE).map(({ kind, url }) => [kind, url]), [
    ['audio', `${PAGE}api/media/1?s=x`], ['image', 'https://a.example/1.PNG'], ['video', 'https://a.example/c.mp4?x=1'],
    ['image', 'https://a.example/no-ending'], ['file', `${PAGE}api/media/2`],
  ]);
});

test('an address is encrypted, or of this service', () => {
  for (const text of ['https://a.example/x', '/api/media/1', `${PAGE}x`]) assert.ok(safeAddress(text, PAGE), text);
  for (const text of ['http://a.example/', 'javascript:1', 'data:text/html,x', 'x.png', '', '//evil.example/x', 'https://a b']) {
    assert.equal(safeAddress(text, PAGE), null, text);
  }
});

test('the longest list of objects is a table', () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({ at, name: `n${at}`, none: null, deep: { x: 1, y: null }, tags: ['a', 'b'], inner: [{}] }));
  const table = tableIn({ total: 60, few: [{ a: 1 }], result: { rows } });
  assert.ok(table);
  assert.deepEqual([table.title, table.columns, table.rows.length, table.more], ['rows', ['at', 'name', 'deep.x', 'tags'], 50, 10]);
  assert.deepEqual(table.rows[0].map(cellText), ['0', 'n0', '1', 'a, b']);
  assert.equal(tableIn({ rows: [{ name: 'x', table: [{ a: 1, b: 2, c: 3 }] }] })?.title, 'table', 'it says more');
  for (const data of [null, [], [1, 2], { a: [] }, { a: [[1]] }, 'x']) assert.equal(tableIn(data), null);
});

test('coloured JSON is the same text', () => {
  const json = JSON.stringify({ 'a": ': 'x "y": 1', n: [-1.5e3, true, null], s: 'true 5' }, null, 2);
  const tokens = tokensOf(json);
  assert.equal(tokens.map(({ text }) => text).join(''), json);
  assert.deepEqual(tokens.filter(({ kind }) => kind).map(({ kind }) => kind), ['key', 'string', 'key', 'number', 'word', 'word', 'key', 'string']);
});

test('each error says what to do', () => {
  const error = (/** @type {any} */ body, status = 400) => problemOf(new ApiError(status, body));
  const refused = error({ error: 'invalid_request', message: 'Not valid.', details: { a: ['Missing.'] } });
  assert.deepEqual([refused.text, refused.remedy], ['Not valid.', '']);
  assert.match(refused.advice, /marked/);
  assert.deepEqual(error({ error: 'unknown_endpoint', message: 'x', nearest: ['y'] }, 404).nearest, ['y']);
  assert.match(error({ error: 'insufficient_credits', message: 'x', needed: 5, available: 0.5 }, 402).text, /5 credits are.*0\.5 are left/);
  assert.match(error({ error: 'insufficient_credits', message: 'x', needed: 1, available: 1 }, 402).text, /1 credit is.*1 is left/);
  assert.equal(error({ error: 'upstream_provider_error', message: 'Token refresh failed. Reconnect.' }, 502).remedy, 'reconnect');
  assert.match(problemOf(new ApiError(409, { error: 'conflict', message: 'x' }, 2)).advice, /Nothing is done or charged twice/);
  assert.match(problemOf(new NetworkError()).text, /can’t be reached/);
});

const settle = () => new Promise((resolve) => setTimeout(resolve));

/** A promise that the test settles. */
function deferred() {
  /** @type {any} */ const one = {};
  one.promise = new Promise((resolve) => (one.resolve = resolve));
  return one;
}

/** @param {any[]} answers of the endpoint and of its job, in this order @param {any} [changes] of the endpoint */
function calling(answers, changes = {}) {
  /** @type {any[]} */ const sent = changes.sent ?? [];
  /** @type {any[]} */ const seen = [];
  const next = () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const transport = /** @type {any} */ ({
    open: async (/** @type {any[]} */ ...request) => (sent.push(request), Response.json({ success: true, data: next() })),
    get: async (/** @type {string} */ path) => (sent.push(path), { success: true, data: next() }),
  });
  const decisions = changes.decisions ?? ['once'];
  const approve = async () => decisions.shift();
  const prices = changes.prices ?? [];
  const price = async () => {
    const next = (await prices.shift()) ?? 2;
    if (next instanceof Error) throw next;
    return next;
  };
  const sessions = createSessionApprovals();
  const call = createEndpointCall(endpoint(changes), { transport, sessions, price, approve, keys: changes.keys, onProgress: (one) => seen.push(one), sleep: async () => {}, now: () => 0 });
  return { call, sent, seen, sessions, phases: () => seen.map(({ phase }) => phase) };
}

test('a free call that only reads is not asked for', async () => {
  const { call, sent, seen, phases } = calling([{ a: 1 }]);
  await call.send({ x: 1 });
  assert.deepEqual(phases(), ['running', 'done']);
  assert.deepEqual([sent[0][0], sent[0][1], sent[0][3]], ['/api/integrations/current-weather', { x: 1 }, { 'X-Approval': 'auto' }]);
  assert.deepEqual(seen[1].data, { a: 1 });
});

test('nothing is sent before the approval, and nothing after a refusal', async () => {
  const { call, sent, phases } = calling([{}, {}], { autoApprove: false, decisions: ['deny', 'session'] });
  await call.send({});
  assert.deepEqual([phases(), sent.length], [['running', 'asking', 'idle'], 0]);
  await call.send({});
  await call.send({});
  assert.deepEqual(sent.map((request) => request[3]['X-Approval']), ['session', 'session']);
});

test('a call that is stopped is asked for no more, and is not made by a late decision', async () => {
  const [price, decision] = [0, 1].map(() => deferred());
  const { call, sent, phases } = calling([{}, {}], { autoApprove: false, prices: [price.promise], decisions: [decision.promise] });
  const unpriced = call.send({});
  call.stop();
  price.resolve(2);
  await unpriced;
  assert.deepEqual(phases(), ['running', 'idle']);
  const undecided = call.send({});
  await settle();
  assert.equal(phases().at(-1), 'asking');
  call.stop();
  decision.resolve('once');
  await undecided;
  assert.deepEqual([phases().at(-1), sent], ['idle', []]);
});

test('nobody is asked about a call that can only be refused', async () => {
  const refusal = new ApiError(400, { error: 'invalid_request', message: 'No.' });
  const { call, sent, seen, phases } = calling([], { autoApprove: false, prices: [refusal] });
  await call.send({});
  assert.deepEqual([phases(), seen.at(-1).error, sent], [['running', 'failed'], refusal, []]);
});

test('what was allowed until the page closes holds for calls that cost no more', async () => {
  const { call, sent } = calling([{}, {}, {}], { autoApprove: false, prices: [2, 1.5, 9], decisions: ['session', 'once'] });
  for (let round = 0; round < 3; round += 1) await call.send({});
  assert.deepEqual(sent.map((request) => request[3]['X-Approval']), ['session', 'session', 'once']);
});

test('what was allowed until the page closes is asked for again after it was taken back', async () => {
  const { call, sent, sessions } = calling([{}, {}], { autoApprove: false, credits: 2, decisions: ['session', 'once'] });
  await call.send({});
  const [{ endpoint: name, policy }] = sessions.list();
  assert.deepEqual([name, policy.credits], ['current-weather', 2]);
  sessions.revoke({ widgetId: '', endpoint: name });
  await call.send({});
  assert.deepEqual(sent.map((request) => request[3]['X-Approval']), ['session', 'once']);
});

test('a call that waited for a consent is asked for again if its approval was taken back', async () => {
  const consent = { requiresOAuth: true, provider: 'p', scopes: [], authUrl: 'https://a.example/' };
  const { call, sent, sessions } = calling([consent, {}], { autoApprove: false, decisions: ['session', 'once'] });
  await call.send({});
  sessions.revoke({ widgetId: '', endpoint: 'current-weather' });
  await call.repeat();
  assert.deepEqual(sent.map((request) => request[3]['X-Approval']), ['session', 'once']);
});

test('a call that needs consent is repeated as it was approved', async () => {
  const consent = { requiresOAuth: true, provider: 'p', scopes: [], authUrl: 'https://a.example/' };
  const { call, sent, phases } = calling([consent, { a: 1 }], { autoApprove: false });
  await call.send({ x: 1 });
  await call.repeat();
  await call.repeat();
  assert.deepEqual(phases(), ['running', 'asking', 'running', 'consent', 'running', 'done']);
  assert.deepEqual(sent.map((request) => [request[1], request[3]['X-Approval']]), [[{ x: 1 }, 'once'], [{ x: 1 }, 'once']]);
});

test('a consent for an earlier call neither ends nor repeats anything once another was sent', async () => {
  const consent = { requiresOAuth: true, provider: 'p', scopes: [], authUrl: 'https://a.example/' };
  const { call, sent, phases } = calling([consent, { a: 1 }], { autoApprove: false, decisions: ['once', 'once'] });
  await call.send({ x: 1 });
  const later = call.send({ x: 2 });
  await call.repeat();
  await later;
  assert.deepEqual([sent.map((request) => request[1]), phases().at(-1)], [[{ x: 1 }, { x: 2 }], 'done']);
});

test('a job that needs consent is looked at again, and not begun anew', async () => {
  const consent = { requiresOAuth: true, provider: 'p', scopes: [], authUrl: 'https://a.example/' };
  const running = { jobId: 'job_1', status: 'running' };
  const { call, sent, seen, phases } = calling([running, consent, { jobId: 'job_1', status: 'succeeded' }]);
  await call.send({});
  assert.deepEqual([phases(), seen[2].job], [['running', 'job', 'consent'], 'job_1']);
  await Promise.all([call.repeat(), call.repeat()]);
  assert.deepEqual(phases().slice(3), ['job', 'done']);
  assert.deepEqual(sent.slice(1), ['/api/integrations/jobs/job_1', '/api/integrations/jobs/job_1']);
});

test('a call that waited for a consent is repeated once, however often the consent is told', async () => {
  const consent = { requiresOAuth: true, provider: 'p', scopes: [], authUrl: 'https://a.example/' };
  const { call, sent } = calling([consent, {}, {}], { autoApprove: false });
  await call.send({});
  await Promise.all([call.repeat(), call.repeat()]);
  assert.equal(sent.length, 2);
});

test('a call that costs is sent again with its key until its end is known', async () => {
  const under = new ApiError(409, { error: 'conflict' }, 2);
  const unknown = new ApiError(409, { error: 'conflict', outcome: 'unknown' });
  const storage = new Map();
  const drafts = /** @type {any} */ ({ get: (/** @type {string} */ name) => storage.get(name) ?? '', set: (/** @type {string} */ name, /** @type {string} */ value) => storage.set(name, value) });
  /** @type {any[]} */ const sent = [];
  const outcomes = [new NetworkError(), under, {}, new NetworkError(), unknown, new NetworkError(), {}];
  for (const [at, outcome] of outcomes.entries()) {
    const keys = createStoredKey(drafts, 'k').keys; // as after a reload
    await calling([outcome], { autoApprove: false, keys, sent }).call.send({ x: at < 6 ? 1 : 2 });
  }
  const keys = sent.map((request) => request[3]['Idempotency-Key']);
  const order = [...new Set(keys)];
  // It ends with an answer, with an end that nobody will know, or with other content.
  assert.deepEqual(keys.map((key) => order.indexOf(key)), [0, 0, 0, 1, 1, 2, 3]);
  assert.match(keys[0], /./);
});

test('a file is sent with its content, and the stored key of the call has only its text', async () => {
  const keys = new Map();
  const stored = /** @type {string[]} */ ([]);
  const watched = { get: (/** @type {string} */ body) => keys.get(body), set: (/** @type {string} */ body, /** @type {string} */ key) => (stored.push(body), keys.set(body, key)), delete: (/** @type {string} */ body) => keys.delete(body) };
  const consent = { requiresOAuth: true, provider: 'p', scopes: [], authUrl: 'https://a.example/' };
  const { call, sent } = calling([consent, {}], { autoApprove: false, keys: watched });
  await call.send({ a: '<a.txt, 1 bytes, 0123456789abcdef>' }, { a: 'YQ==' });
  await call.repeat();
  assert.deepEqual(sent.map((request) => request[1]), [{ a: 'YQ==' }, { a: 'YQ==' }]);
  assert.deepEqual([...new Set(stored)], ['{"a":"<a.txt, 1 bytes, 0123456789abcdef>"}']);
});

test('a free call that only reads needs no key', async () => {
  const { call, sent } = calling([new NetworkError(), {}]);
  await call.send({});
  await call.send({});
  assert.deepEqual(sent.map((request) => request[3]), Array(2).fill({ 'X-Approval': 'auto' }));
});

test('a page that is left keeps what it shows of a job', async () => {
  const { call, sent, phases } = calling([{ jobId: 'j', status: 'running' }, {}]);
  const sending = call.send({});
  while (phases().at(-1) !== 'job') await Promise.resolve();
  call.leave();
  await sending;
  assert.deepEqual([phases(), sent.length], [['running', 'job'], 1]);
});

test('a job is looked at until it ends, also when it can not be read for a while', async () => {
  const running = { jobId: 'j/1', status: 'running' };
  const busy = new ApiError(429, { error: 'rate_limited' });
  const { call, sent, seen } = calling([running, running, busy, new NetworkError(), { jobId: 'j/1', status: 'done', result: 5 }]);
  await call.send({});
  assert.deepEqual(sent.slice(1), Array(4).fill('/api/integrations/jobs/j%2F1'));
  assert.deepEqual([seen.at(-1).phase, seen.at(-1).data.result, seen.at(-1).job], ['done', 5, 'j/1']);
});

test('a job that failed ends', async () => {
  const failed = new ApiError(502, { error: 'upstream_provider_error', message: 'It failed.' });
  const { call, seen } = calling([{ jobId: 'j', status: 'running' }, failed]);
  await call.send({});
  assert.deepEqual([seen.at(-1).phase, seen.at(-1).error], ['failed', failed]);
});

test('an answer to a call that was stopped is not shown', async () => {
  const { call, phases } = calling([{ a: 1 }]);
  const sending = call.send({});
  call.stop();
  await sending;
  assert.deepEqual(phases(), ['running', 'idle']);
});
