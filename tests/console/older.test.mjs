// Lists with a button for older entries: each page is shown once, however often it is asked for.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './plain-dom.mjs';
import { startSearch } from '../../service/browser/chat/search-box.js';
import { createSearchResults } from '../../service/browser/chat/search-results.js';
import { createChangeList } from '../../service/browser/usage/change-list.js';
import { createStatement } from '../../service/browser/usage/statement.js';
import { NetworkError } from '../../service/browser/shared/errors.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Three pages of two entries; an answer comes when the test wants it. */
function server(entryOf, name) {
  const waiting = [];
  const get = (path, query) => new Promise((resolve) => waiting.push({ query, resolve }));
  /** Answers a request, by default the first that waits. */
  async function answer(at = 0) {
    const [{ query, resolve }] = waiting.splice(at, 1);
    const page = Number(query.cursor ?? 0);
    const entries = [2 * page, 2 * page + 1].map((number) => entryOf(number, query));
    resolve({ [name]: entries, nextCursor: page < 2 ? String(page + 1) : null });
    await settle();
  }
  return { transport: { get }, waiting, answer };
}

/** @returns {any[]} the nodes under this one that fit */
function all(node, fits) {
  return (node.childNodes ?? []).flatMap((child) => [...(fits(child) ? [child] : []), ...all(child, fits)]);
}
const more = (node) => all(node, ({ tag, textContent }) => tag === 'button' && /^Show (older|more)/.test(textContent))[0].listeners.click();
const count = (node, word) => node.textContent.split(word).length - 1;

const entry = (number) => ({ entryId: `e${number}`, kind: 'charge', what: `entry-${number}-`, amount: 1, createdAt: '2026-11-22T18:00:00Z', facts: {} });
const change = (number) => ({
  turnId: `t${number}`, collection: 'integrations', recordId: `entry-${number}-`, outcome: 'called', before: null, changes: null, createdAt: '2026-11-22T18:00:00Z', undone: false,
});
const result = (number, { q }) => ({ chat: { recordId: `c${number}`, createdAt: '2026-11-22T18:00:00Z' }, title: { text: `${q}-entry-${number}-`, hits: [] }, message: null });

const LISTS = {
  'the statement': [createStatement, entry, 'entries'],
  'the changes of the assistant': [createChangeList, change, 'entries'],
};
for (const [name, [create, entryOf, key]] of Object.entries(LISTS)) {
  test(`a double click for older entries of ${name} shows them once`, async () => {
    const { transport, answer, waiting } = server(entryOf, key);
    const { node, refresh } = create({ transport, announce() {} });
    refresh();
    await answer();
    more(node);
    more(node);
    while (waiting.length) await answer();
    for (const number of [0, 1, 2, 3]) assert.equal(count(node, `entry-${number}-`), 1, `entry ${number}`);
    more(node);
    refresh(); // the page that was asked for before it is no part of what is read now
    await answer(1);
    await answer();
    while (waiting.length) await answer();
    assert.deepEqual([0, 2, 4].map((number) => count(node, `entry-${number}-`)), [1, 1, 0]);
  });
}

test('results of a search are shown once, and those of another question not at all', async () => {
  const { transport, answer, waiting } = server(result, 'results');
  const results = createSearchResults({ transport, onFound() {}, back() {} });
  results.search('fair');
  await answer();
  more(results.node);
  more(results.node);
  while (waiting.length) await answer();
  assert.deepEqual([0, 1, 2, 3].map((number) => count(results.node, `fair-entry-${number}-`)), [1, 1, 1, 1]);
  results.search('other');
  results.search('fair'); // its results are on the screen
  await answer();
  assert.deepEqual([count(results.node, 'fair'), count(results.node, 'other')], [4, 0]);
});

test('a search that fails leaves no results of other words, but a further page that fails leaves those of its own', async (t) => {
  const { transport, answer } = server(result, 'results');
  const { get } = transport;
  const away = () => Promise.reject(new NetworkError());
  let returns = 0;
  const results = createSearchResults({ transport, onFound() {}, back: () => (returns += 1) });
  results.search('fair');
  await answer();
  transport.get = away;
  more(results.node);
  await settle();
  assert.deepEqual([count(results.node, 'fair-entry'), count(results.node, 'can’t be reached')], [2, 1]);
  t.after(() => delete document.activeElement);
  document.activeElement = all(results.node, ({ tag }) => tag === 'a')[0];
  await results.search('other');
  assert.deepEqual([count(results.node, 'fair-entry'), count(results.node, 'can’t be reached'), returns], [0, 1, 1]);
  Object.assign(transport, { get });
  results.search('fair');
  await answer();
  assert.deepEqual([count(results.node, 'fair-entry'), count(results.node, 'can’t be reached')], [2, 0]);
  document.activeElement = all(results.node, ({ tag }) => tag === 'a')[0];
  let focused = 0;
  all(results.node, ({ tag }) => tag === 'ul')[0].querySelector = () => ({ focus: () => (focused += 1) });
  results.search('third');
  await answer();
  assert.deepEqual([focused, returns], [1, 1], 'the focus stays in the results');
});

test('Enter opens the first result of what stands in the field, and of nothing else', async (t) => {
  const { transport, answer } = server(result, 'results');
  const [input, results, lists] = ['input', 'div', 'div'].map((tag) => document.createElement(tag));
  const opened = [];
  startSearch({ input: Object.assign(input, { value: '' }), results, lists, transport, onFound: (id) => opened.push(id) });
  const list = all(results, ({ tag }) => tag === 'ul')[0];
  list.querySelector = () => ({ click: () => all(list, ({ tag }) => tag === 'a')[0]?.listeners.click(press) });
  const press = { preventDefault() {} };
  const type = (value) => (Object.assign(input, { value }), input.listeners.input());
  t.after(() => delete document.activeElement);
  document.activeElement = input;
  type('fair');
  const first = input.listeners.keydown({ ...press, key: 'Enter' });
  type('fairy'); // is not searched yet
  await answer();
  await first;
  assert.deepEqual(opened, []);
  const second = input.listeners.keydown({ ...press, key: 'Enter' });
  await answer();
  await second;
  assert.deepEqual(opened, ['c0']);
  type('fair');
  const third = input.listeners.keydown({ ...press, key: 'Enter' });
  document.activeElement = document.createElement('textarea'); // the user has gone on
  await answer();
  await third;
  assert.deepEqual(opened, ['c0']);
  document.activeElement = input;
  transport.get = async () => Promise.reject(new NetworkError());
  type('other');
  await input.listeners.keydown({ ...press, key: 'Enter' });
  assert.deepEqual(opened, ['c0']);
  type('');
});

for (const [pages, words] of [[2, 'The statement was exported.'], [1000, 'The newest 200 entries were exported.']]) {
  test(`an export of ${pages} pages says: ${words}`, async (t) => {
    Object.assign(document.body.constructor.prototype, { click() {} });
    t.mock.method(URL, 'createObjectURL', () => 'blob:x');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const entry = (entryId) => ({ entryId, kind: 'charge', amount: -1, what: 'search-web', ref: 'r', facts: {}, createdAt: '2026-11-23T10:00:00Z' });
    const get = async (_path, { cursor }) => {
      const page = Number(cursor ?? 0) + 1;
      return { entries: [entry(`${page}a`), entry(`${page}b`)], nextCursor: page < pages ? String(page) : null };
    };
    const said = [];
    const { node } = createStatement({ transport: { get }, announce: (sentence) => said.push(sentence) });
    await all(node, ({ tag, textContent }) => tag === 'button' && textContent === 'Export CSV')[0].listeners.click();
    assert.deepEqual(said, [words]);
    assert.equal(node.textContent.includes(words), pages === 1000);
  });
}
