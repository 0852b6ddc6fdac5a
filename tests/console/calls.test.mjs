// Tool calls in words: which join, what their sentences say in each state, and links to media.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { blocksOf } from '../../service/browser/calls/call-groups.js';
import { createCallMedia } from '../../service/browser/calls/call-media.js';
import { NO_OUTPUT } from '../../service/browser/calls/call-states.js';
import { fillTemplate } from '../../service/browser/calls/endpoint-sentences.js';
import { createMediaLink } from '../../service/browser/calls/media-link.js';
import { nounsOf, recordLink, titleIn } from '../../service/browser/calls/record-words.js';
import { describe } from '../../service/browser/calls/tool-words.js';
import { valueInWords } from '../../service/browser/calls/value-words.js';
import { nameInWords, pluralOf, singularOf, withArticle } from '../../service/browser/shared/words.js';
import './plain-dom.mjs';

let calls = 0;
/** @param {string} name @param {any} input @param {any} [output] @param {any} [more] @returns {any} */
function call(name, input, output, more = {}) {
  const state = output === undefined ? 'running' : 'done';
  return { kind: 'call', id: `c${(calls += 1)}`, name, inputText: '', input, output, state, ...more };
}
/** @param {string} recordId @param {any} data */
const record = (recordId, data) => ({ recordId, data: { userId: 'alice', ...data } });
/** @param {string} title */
const created = (title) => call('records.create', { collection: 'tasks', data: { title } }, record(title, { title }));
/** @param {any[]} parts */
const groups = (...parts) => /** @type {any[]} */ (blocksOf(parts)).filter(({ kind }) => kind === 'calls');
/** @param {any[]} parts @returns {string[]} */
const sentences = (...parts) => groups(...parts).map((group) => describe(group, find).text);

/** @type {Record<string, any>} */
const ENDPOINTS = {
  'current-weather': { summary: 'The weather now.', says: { doing: 'Looking at the weather in {city}', done: 'Weather in {place.name}: {current.temperature} °C' } },
  'cloudsuite/mail-list': { summary: 'Messages, newest first.', says: { doing: 'Reading mail', done: 'Read {messages:mail}' } },
  'search-papers': { summary: 'Search scholarly papers, with authors.' },
  quote: { summary: 'The price of a stock.' },
};
const find = (/** @type {string} */ name) => ENDPOINTS[name];
/** @param {string} endpoint @param {any} body @param {any} [output] */
const asked = (endpoint, body, output) => call('integrations.call', { endpoint, body }, output);

test('neighbours of one kind are one group, other calls and text end it', () => {
  const text = { kind: 'text', id: 't', text: 'So.' };
  const note = call('records.create', { collection: 'notes', data: {} }, record('n', { title: 'N' }));
  const blocks = blocksOf([created('a'), created('b'), note, text, created('c')]);
  assert.deepEqual(blocks.map((block) => (block.kind === 'calls' ? block.calls.length : block.kind)), [2, 1, 'text', 1]);
});

test('a call whose input is still written joins as soon as its collection is known', () => {
  const half = call('records.create', undefined, undefined, { state: 'preparing', inputText: '' });
  assert.equal(groups(created('a'), half).length, 1);
  assert.equal(groups(created('a'), { ...half, inputText: '{"collection": "notes", "da' }).length, 2);
});

test('created records are sentences by title, several by number', () => {
  assert.deepEqual(sentences(created('Write to Bob')), ['Created the task “Write to Bob”']);
  assert.deepEqual(sentences(created('a'), created('b'), created('c')), ['Created 3 tasks']);
  assert.deepEqual(sentences(call('records.create', { collection: 'entries', data: { amount: 5 } }, record('e', { amount: 5 }))), ['Created an entry']);
});

test('what is read is counted', () => {
  const query = (/** @type {number} */ n, input = {}, more = {}) =>
    call('records.query', { collection: 'notes', ...input }, { records: Array(n).fill(record('x', {})), nextCursor: null, ...more });
  assert.deepEqual(sentences(query(12)), ['Read 12 notes']);
  assert.deepEqual(sentences(query(1)), ['Read 1 note']);
  assert.deepEqual(sentences(query(0)), ['Looked for notes and found none']);
  assert.deepEqual(sentences(query(50, {}, { nextCursor: 'c' })), ['Read the first 50 notes']);
  assert.deepEqual(sentences(query(2, { where: { done: true } })), ['Found 2 notes']);
  assert.deepEqual(sentences(query(50, {}, { nextCursor: 'c' }), query(3)), ['Read 53 notes']);
});

test('a change names what it has changed, with the value before where the reply has read it', () => {
  const change = (/** @type {any} */ data) => call('records.update', { collection: 'tasks', recordId: 'r', data }, record('r', { title: 'Write to Bob', ...data }));
  assert.deepEqual(sentences(change({ due: `${new Date().getFullYear()}-12-01` })), ['Changed the task “Write to Bob”: due → 1 Dec']);
  const read = call('records.get', { collection: 'tasks', recordId: 'r' }, record('r', { title: 'Write to Bob', done: false }));
  assert.deepEqual(sentences(read, change({ done: true })), ['Read the task “Write to Bob”', 'Changed the task “Write to Bob”: done no → yes']);
  assert.deepEqual(sentences(change({ a: 1, b: 2, c: 3, d: null })), ['Changed the task “Write to Bob”: a → 1, b → 2, 2 more']);
  assert.deepEqual(sentences(change({ done: true }), change({ done: true })), ['Changed 2 tasks: done → yes']);
  const canvas = { widgets: [1, 2], io: { version: 1, connections: [{}], widgets: {} } };
  const arranged = call('records.update', { collection: 'canvases', recordId: 'c', data: canvas }, record('c', { title: 'Fair', ...canvas }));
  assert.deepEqual(sentences(arranged), ['Changed the canvas “Fair”: widgets → 2 items, connections → 1 item']);
});

test('a deleted record is sentences by the title that was read before', () => {
  const removal = call('records.delete', { collection: 'tasks', recordId: 'a' }, { deleted: 'a' });
  assert.deepEqual(sentences(created('a'), removal), ['Created the task “a”', 'Deleted the task “a”']);
  assert.deepEqual(sentences(removal), ['Deleted a task']);
});

test('one record that was made or changed can be opened, a deleted one can not', () => {
  assert.deepEqual(recordLink(created('a')), { href: '#/data/tasks/a', label: 'Open the task' });
  assert.equal(recordLink(call('records.create', { collection: 'canvases' }, record('c', {})))?.href, '#/canvas/c');
  assert.equal(recordLink(call('records.delete', { collection: 'tasks', recordId: 'a' }, { deleted: 'a' })), null);
  assert.equal(recordLink(call('records.create', { collection: 'tasks' })), null);
});

test('each state has its tense', () => {
  const create = (/** @type {any} */ more) => call('records.create', { collection: 'tasks', data: {} }, undefined, more);
  const failed = (/** @type {string} */ message) => create({ state: 'failed', message });
  assert.deepEqual(sentences(create({})), ['Creating a task…']);
  assert.deepEqual(sentences(create({}), create({})), ['Creating 2 tasks…']);
  assert.deepEqual(sentences(failed('No such column.')), ['Creating a task failed']);
  assert.deepEqual(sentences(failed('interrupted')), ['Creating a task was not run']);
  assert.deepEqual(sentences(failed(NO_OUTPUT)), ['Creating a task was not run']);
  assert.deepEqual(sentences(failed('The user did not allow this call. It was not made.')), ['Creating a task was not allowed']);
  assert.deepEqual(sentences(created('a'), failed('No.')), ['Created the task “a”, 1 failed']);
  assert.equal(describe(groups(failed('No such column.'))[0], find).note, 'No such column.');
  assert.equal(describe(groups(failed('interrupted'))[0], find).note, '');
});

test('lookups say what was looked up', () => {
  assert.deepEqual(sentences(call('schema.list', {}, { collections: [] })), ['Looked up which collections there are']);
  assert.deepEqual(sentences(call('schema.describe', { collection: 'ai-chats' }, {})), ['Looked up what a chat consists of']);
  assert.deepEqual(sentences(call('integrations.find', { query: 'weather' }, { endpoints: [{}, {}] })), ['Looked for endpoints for “weather”: 2 endpoints']);
  assert.deepEqual(sentences(call('recipes.import', {})), ['Calling recipes.import…']);
});

test('an endpoint has a sentence of its own, or one by rule', () => {
  const weather = { place: { name: 'Berlin' }, current: { temperature: 6.04 } };
  assert.deepEqual(sentences(asked('current-weather', { city: 'Berlin' })), ['Looking at the weather in Berlin…']);
  assert.deepEqual(sentences(asked('current-weather', { city: 'Berlin' }, weather)), ['Weather in Berlin: 6.04 °C']);
  assert.deepEqual(sentences(asked('current-weather', { latitude: 1 }, { place: { name: null } })), ['The weather now']);
  assert.deepEqual(sentences(asked('cloudsuite/mail-list', {}, { messages: Array(5).fill({}) })), ['Read 5 mails']);
  assert.deepEqual(sentences(asked('search-papers', { query: 'bees' }, { total: 90, papers: Array(8).fill({}) })), ['Search scholarly papers: “bees”, 8 papers']);
  assert.deepEqual(sentences(asked('quote', { symbol: 'ACME' }, { price: 12.5, url: 'https://a.example' })), ['The price of a stock: “ACME”, price 12.5']);
  assert.deepEqual(sentences(asked('quote', {}), asked('quote', {})), ['The price of a stock…']);
  assert.deepEqual(sentences(asked('unknown/new-thing', {}, {})), ['New thing']);
});

test('a job is sentences by its result', () => {
  const job = (/** @type {any} */ more) => asked('search-papers', {}, { jobId: 'j', status: 'running', ...more });
  assert.deepEqual(sentences(job({})), ['Search scholarly papers: not finished yet']);
  assert.deepEqual(sentences(job({ status: 'done', result: { papers: [{}] } })), ['Search scholarly papers: 1 paper']);
});

test('a sentence with a value that is missing or no text is not sentences', () => {
  assert.equal(fillTemplate('{a} and {b:entry|entries}', { a: 1, b: [] }, {}), '1 and no entries');
  assert.equal(fillTemplate('{a}', {}, { a: 'x'.repeat(200) })?.length, 50);
  for (const data of [{}, { a: null }, { a: { b: 1 } }]) assert.equal(fillTemplate('Of {a}', data, {}), null);
});

test('a question says whether its reply has ended before it was answered', () => {
  const asks = (/** @type {string} */ state) => ({ kind: 'approval', id: 'c', data: { toolCallId: 'c', endpoint: 'e', state } });
  const cut = (/** @type {string} */ message) => ({ ...call('integrations.call', { endpoint: 'e' }), id: 'c', state: 'failed', message });
  const stateOf = (/** @type {any[]} */ ...parts) => /** @type {any} */ (blocksOf(parts)).find(({ kind }) => kind === 'approval').data.state;
  assert.equal(stateOf(cut('interrupted'), asks('expired')), 'ended');
  assert.equal(stateOf(cut('The user was asked and did not answer in time.'), asks('expired')), 'expired');
  const waiting = { ...call('integrations.call', { endpoint: 'e' }), id: 'c' };
  assert.deepEqual([groups(waiting, asks('asked'))[0].waits, groups(waiting, asks('once'))[0].waits], [true, false]);
});

test('a question stands below its call, and does not part a group', () => {
  const [one, two, other] = ['e', 'e', 'f'].map((endpoint) => call('integrations.call', { endpoint }));
  const asks = (/** @type {any} */ { id }) => ({ kind: 'approval', id, data: { toolCallId: id, endpoint: 'e', state: 'asked' } });
  const blocks = blocksOf(/** @type {any[]} */ ([one, two, other, asks(one), asks(two), asks({ id: 'of-no-call' })]));
  assert.deepEqual(blocks.map((block) => (block.kind === 'calls' ? block.calls.length : block.id)), [2, one.id, two.id, 1, 'of-no-call']);
});

test('names and values become words', () => {
  assert.deepEqual(nounsOf('ai-chats'), { one: 'chat', many: 'chats' });
  assert.deepEqual(nounsOf('integration-calls'), { one: 'integration call', many: 'integration calls' });
  assert.deepEqual(['entries', 'boxes', 'status', 'news', 'canvases'].map(singularOf), ['entry', 'box', 'status', 'news item', 'canvas']);
  assert.deepEqual(['entry', 'day', 'box', 'mail'].map(pluralOf), ['entries', 'days', 'boxes', 'mails']);
  assert.deepEqual([true, null, 1234.567, 'a\nb', [1, 2], {}].map(valueInWords), ['yes', 'empty', '1,234.57', '“a b”', '2 items', 'changed']);
});

test('a link to a medium is renewed when it has ended, and only then', async () => {
  /** @type {string[]} */ const posts = [];
  const transport = /** @type {any} */ ({ post: async (/** @type {string} */ path) => (posts.push(path), { url: '/api/media/m1?expires=2000&signature=t' }) });
  const link = createMediaLink('http://x/api/media/m1?expires=1000&signature=s', transport, () => 900_000);
  assert.equal(await link.current(), 'http://x/api/media/m1?expires=1000&signature=s');
  const late = createMediaLink('http://x/api/media/m1?expires=1000&signature=s', transport, () => 1_200_000);
  assert.equal(await late.current(), 'http://x/api/media/m1?expires=2000&signature=t');
  assert.deepEqual(posts, ['/api/media/m1/link']);
  const gone = createMediaLink('http://x/api/media/m1?expires=1&signature=s', /** @type {any} */ ({ post: async () => Promise.reject(new Error()) }), () => 9e6);
  assert.equal(await gone.current(), null);
});

test('sound that is played for longer than its link holds gets a new link each time, and ends if a new link does not help', async (t) => {
  let now = 0;
  t.mock.method(Date, 'now', () => now);
  /** @param {() => void} see */
  function Observer(see) {
    return { observe: () => queueMicrotask(() => see([{ isIntersecting: true }])), disconnect() {} };
  }
  Object.assign(globalThis, { IntersectionObserver: Observer, location: new URL('http://x/') });
  let links = 0;
  const transport = /** @type {any} */ ({ post: async () => ({ url: `/api/media/m1?expires=${Date.now() / 1000 + 600}&n=${(links += 1)}` }) });
  const output = { speech: { url: '/api/media/m1?expires=600&n=0', mediaType: 'audio/mpeg' } };
  const list = /** @type {any} */ (createCallMedia(call('text-to-speech', {}, output), { endpoints: /** @type {any} */ (null), transport }));
  const box = list.childNodes[0].childNodes[0];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  for (const minutes of [0, 11, 22]) {
    now = minutes * 60_000;
    if (minutes) box.childNodes[0].onerror();
    await settle();
    assert.match(box.childNodes[0].src ?? '', new RegExp(`n=${minutes / 11}$`));
  }
  box.childNodes[0].onerror();
  assert.match(box.textContent, /can’t be shown any more/);
});

test('a plural of any form has its singular, and a noun the article that it sounds like', () => {
  const plurals = ['statuses', 'analyses', 'houses', 'prizes', 'caches', 'movies', 'children', 'series', 'basis', 'user addresses', ''];
  assert.deepEqual(plurals.map(singularOf), ['status', 'analysis', 'house', 'prize', 'cache', 'movie', 'child', 'series', 'basis', 'user address', '']);
  const nouns = ['user', 'update', 'unit', 'hour', 'European', 'entry', 'URL'].map(withArticle);
  assert.deepEqual(nouns, ['a user', 'an update', 'a unit', 'an hour', 'a European', 'an entry', 'a URL']);
  assert.deepEqual(['HTMLText', 'ÜberÄnderung', 'max_results', '__x'].map(nameInWords), ['html text', 'über änderung', 'max results', 'x']);
});

test('a text that can not be seen is no title and no subject', () => {
  for (const title of ['', ' ', '\u200b', '\u2800\u00ad']) {
    assert.deepEqual(sentences(created(title)), ['Created a task']);
    assert.deepEqual(sentences(asked('search-papers', { query: title }, {})), ['Search scholarly papers']);
    assert.equal(fillTemplate('Sent “{a}”', {}, { a: title }), null);
  }
  assert.deepEqual(['', ' ', '\u200b'].map(valueInWords), ['empty', 'blank', 'blank']);
  assert.equal(titleIn({ id: 'x7', due: '2026-12-01T00:00:00Z', place: 'Lyon' }), 'Lyon');
});

test('a text of others does not seem to end before its end, and does not change the order of the words around it', () => {
  assert.deepEqual(sentences(created('a” and deleted the task “b')), ['Created the task “a’ and deleted the task ‘b”']);
  assert.deepEqual(sentences(created('شاي')), ['Created the task “\u2068شاي\u2069”']);
  assert.deepEqual(sentences(created('\u202ea')), ['Created the task “a”']);
  assert.deepEqual(sentences(asked('quote', { symbol: 'A' }, { status: 'sold, 5 shares' })), ['The price of a stock: “A”, “sold, 5 shares”']);
});

test('a number is neither rounded to nothing nor written in hundreds of digits', () => {
  assert.deepEqual([0.00001, -0, 1e-9, 1e300, 0.0195, -0.001].map(valueInWords), ['0.00001', '0', '1e-9', '1e+300', '0.0195', '-0.001']);
  for (const count of [-1, NaN, Infinity, '5']) assert.equal(fillTemplate('{a:entry|entries}', { a: count }, {}), null);
  assert.deepEqual(sentences(asked('search-papers', {}, { data: [1] })), ['Search scholarly papers: 1 item']);
});

test('a day that does not exist is no date', () => {
  assert.deepEqual(['2026-02-30', '2026-02-28', '2026-13-01'].map(valueInWords), ['“2026-02-30”', valueInWords('2026-02-28T00:00'), '“2026-13-01”']);
});

test('records that are only the first of more are told so', () => {
  const query = (/** @type {any} */ where, /** @type {any[]} */ records) => call('records.query', { collection: 'tasks', where }, { records, nextCursor: 'x' });
  assert.deepEqual(sentences(query({}, [1])), ['Read the first task']);
  assert.deepEqual(sentences(query({ done: true }, [1, 2])), ['Found 2 tasks, and there are more']);
});
