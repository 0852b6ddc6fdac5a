// What the command palette finds, and in which order.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { matchName, markedPieces } from '../../service/browser/console/fuzzy.js';
import { createEndpointCatalog } from '../../service/browser/calls/endpoint-catalog.js';
import { openPalette } from '../../service/browser/console/palette.js';
import { readCollectionItems, readEndpointItems } from '../../service/browser/console/palette-items.js';
import { MOST, groupsFor } from '../../service/browser/console/palette-ranking.js';
import { NetworkError } from '../../service/browser/shared/errors.js';
import { forgetReadings, readEndpoints } from '../../service/browser/page/readings.js';
import './plain-dom.mjs';

const ITERATOR = Object.getOwnPropertyDescriptor(Array.prototype, Symbol.iterator);
const item = (label, group = 'Chats', more = {}) => ({ id: label, label, group, act() {}, ...more });
const labels = (items, typed) => groupsFor(items, typed).flatMap(({ rows }) => rows.map(({ label }) => label));

test('a whole name comes first, then beginnings, words, places inside, and letters apart', () => {
  const names = ['d-a-t-a', 'metadata', 'Your data', 'Data of today', 'Data'];
  assert.deepEqual(labels(names.map((name) => item(name)), 'data'), [...names].reverse());
});

test('the shorter of two names that fit alike comes first', () => {
  assert.deepEqual(labels([item('Train to Kyoto'), item('Trains')], 'tra'), ['Trains', 'Train to Kyoto']);
});

test('letters may be left out, but no word begins in the middle of another', () => {
  assert.ok(matchName('nc', 'New chat'));
  assert.ok(matchName('explr', 'Explorer'));
  assert.equal(matchName('hat', 'Explorer'), null);
  assert.equal(matchName('wct', 'New chat'), null);
  assert.equal(matchName('exr', 'eagerly xylophone-less airier', { exact: true }), null);
});

test('all words have to be there, in any order and without accents', () => {
  assert.ok(matchName('KYOTO zürich', 'Zurich to Kyoto'));
  assert.equal(matchName('kyoto paris', 'Zurich to Kyoto'), null);
});

test('the accents of a name without any are not looked for, because all names are read at each letter', (t) => {
  const { mock } = t.mock.method(String.prototype, 'normalize');
  assert.ok(matchName('kyo', 'Train to Kyoto'));
  assert.equal(mock.callCount(), 0);
  assert.ok(matchName('zurich', 'Zürich'));
});

test('what was typed is marked by code points', () => {
  const name = '🚂 Train to Kyoto';
  const pieces = markedPieces(name, matchName('tra kyo', name).hits);
  assert.deepEqual(pieces.filter(({ isHit }) => isHit).map(({ text }) => text), ['Tra', 'Kyo']);
  assert.equal(pieces.map(({ text }) => text).join(''), name);
});

test('groups stand in the order of their best rows and have few rows', () => {
  const many = Array.from({ length: 20 }, (_, n) => item(`a sunny day ${n}`));
  const groups = groupsFor([...many, item('Sunny', 'Go to')], 'sunny');
  assert.deepEqual(groups.map(({ name, rows }) => [name, rows.length]), [['Go to', 1], ['Chats', MOST]]);
});

test('a letter costs no more for each chat where there are many', (t) => {
  const many = Array.from({ length: 1000 }, (_, n) => item(`Chat ${n}`));
  const { [Symbol.iterator]: iterate } = Array.prototype;
  let read = 0;
  Object.defineProperty(Array.prototype, Symbol.iterator, { ...ITERATOR, value: function* counted() {
    for (const each of { [Symbol.iterator]: () => iterate.call(this) }) yield (read += 1) && each;
  } });
  t.after(() => Object.defineProperty(Array.prototype, Symbol.iterator, ITERATOR));
  groupsFor(many, ' ');
  assert.ok(read < 5 * many.length, `${read} rows were read`);
});

test('without typed words the items keep their order, and endpoints stay away', () => {
  const items = [item('b'), item('a'), item('weather', 'Endpoints', { onlyTyped: true })];
  assert.deepEqual(labels(items, ' '), ['b', 'a']);
  assert.deepEqual(labels(items, 'wea'), ['weather']);
});

test('other words find an item, below those that are called so', () => {
  const items = [item('Sign out', 'Commands', { words: 'log out leave' }), item('Log of a journey')];
  assert.deepEqual(labels(items, 'log'), ['Log of a journey', 'Sign out']);
});

test('the catalog is read once for all parts of a page, and again after a failure and a restart of the server', async () => {
  const asked = [];
  const answers = [Promise.reject(new Error('away'))];
  const endpoints = [{ name: 'search-web', aliases: [], summary: 'Search.' }];
  const get = (path) => (asked.push(path), answers.shift() ?? Promise.resolve({ endpoints, collections: [] }));
  const transport = { get };
  await assert.rejects(readEndpoints(transport));
  const later = new Promise((resolve) => createEndpointCatalog(transport).find('search-web', resolve));
  const [items] = await Promise.all([readEndpointItems({ transport, go() {} }), readCollectionItems({ transport, go() {} }), later]);
  assert.equal(await readEndpoints(transport), endpoints);
  assert.deepEqual([items.length, asked], [1, ['/api/integrations/catalog', '/api/integrations/catalog', '/api/records']]);
  forgetReadings(transport);
  await Promise.all([readEndpoints(transport), readEndpoints({ get })]);
  assert.equal(asked.length, 5, 'and for each page');
});

/** @returns {any[]} the nodes under this one that fit */
function all(node, fits) {
  return (node.childNodes ?? []).flatMap((child) => [...(fits(child) ? [child] : []), ...all(child, fits)]);
}

/** Opens the palette of a page without chats; `get` answers its requests. */
function palette(get, cache = {}) {
  const collection = { rows: {}, onChange: () => () => {} };
  const app = { chats: () => ({ collection, models: { usable: [] } }), entries: () => [], transport: { get }, announce() {}, go() {}, signOut() {} };
  const close = openPalette(app, cache, () => {}, '');
  const dialog = document.body.lastChild;
  dialog.open = true;
  const input = all(dialog, ({ tag }) => tag === 'input')[0];
  const type = (value) => (Object.assign(input, { value }), input.listeners.input());
  return { dialog, type, close, app };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));
document.documentElement = document.createElement('html');
const noMessages = (path) => (path === '/api/records' ? { collections: [] } : path === '/api/ai/search' ? { results: [] } : null);

test('the error of a search is not shown once other words are typed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const refusals = [];
  const get = async (path, query) => {
    if (query?.q === 'old') await new Promise((_, reject) => refusals.push(() => reject(new NetworkError())));
    return noMessages(path) ?? { endpoints: [] };
  };
  const { dialog, type, close } = palette(get);
  for (const words of ['old', 'new']) {
    type(words);
    t.mock.timers.tick(300);
    await settle();
  }
  refusals[0]();
  await settle();
  assert.doesNotMatch(dialog.textContent, /can’t be reached/);
  type('old');
  t.mock.timers.tick(300);
  await settle();
  refusals[1]();
  await settle();
  assert.match(dialog.textContent, /can’t be reached/);
  close();
});

test('the palette finds the endpoints that the service has after a restart', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const cache = {};
  let name = 'search-web';
  const get = async (path) => noMessages(path) ?? { endpoints: [{ name, aliases: [], summary: '' }] };
  const first = palette(get, cache);
  first.type('search');
  await settle();
  assert.match(first.dialog.textContent, /search-web/);
  first.close();
  forgetReadings(first.app.transport);
  name = 'search-pictures';
  const second = palette(get, cache);
  second.type('search');
  await settle();
  assert.match(second.dialog.textContent, /search-pictures/);
  second.close();
});
