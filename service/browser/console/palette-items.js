// The items of the command palette: commands, views, chats and models; and, as soon as they are loaded, endpoints,
// collections and messages with the typed words.

import { dataHref } from '../data/data-route.js';
import { readCollections, wordOf } from '../data/collections.js';
import { lastActive, titleOf } from '../chat/chat-row.js';
import { readEndpoints } from '../page/readings.js';
import { compareTexts } from '../shared/live-rows.js';
import { hrefOf } from '../page/route.js';
import { THEMES, setTheme, theme } from '../shared/theme.js';
import { ago } from '../shared/time-format.js';

/**
 * @typedef {import('./palette-ranking.js').Item} Item
 * @typedef {import('./commands.js').Console} Console
 */

const RECENT = 5; // chats that are shown while nothing is typed

/** @param {Console} app @param {() => void} showShortcuts @returns {Item[]} the items that need no request */
export function itemsOf(app, showShortcuts) {
  return [...chatItems(app), ...viewItems(app), ...commandItems(app, showShortcuts), ...modelItems(app)];
}

/** @param {Console} app @returns {Item[]} */
function chatItems({ chats, go }) {
  const rows = Object.values(chats().collection.rows);
  rows.sort((one, other) => compareTexts(lastActive(other), lastActive(one)));
  const add = { id: 'new-chat', group: 'Chats', label: 'New chat', act: () => (go('#/chat'), chats().startNew()) };
  const all = rows.map((row, at) => ({
    id: `chat-${row.recordId}`,
    group: 'Chats',
    label: titleOf(row),
    hint: ago(lastActive(row)),
    onlyTyped: at >= RECENT,
    act: () => (go(hrefOf('chat', row.recordId)), chats().open(row.recordId, null)),
  }));
  return [add, ...all];
}

/** @param {Console} app @returns {Item[]} */
function viewItems({ entries, go }) {
  return entries().map(({ name, label }) => ({
    id: `view-${name}`, group: 'Go to', label, words: 'go to view', act: () => go(hrefOf(name)),
  }));
}

/** @param {Console} app @param {() => void} showShortcuts @returns {Item[]} */
function commandItems({ signOut }, showShortcuts) {
  const schemes = THEMES.map(([name, label]) => ({
    id: `theme-${name}`,
    label: `Colour scheme: ${label}`,
    hint: name === theme() ? 'In use' : '',
    words: 'theme appearance color mode',
    act: () => setTheme(name),
  }));
  const others = [
    { id: 'shortcuts', label: 'Keyboard shortcuts', hint: '?', words: 'keys help', act: showShortcuts },
    { id: 'sign-out', label: 'Sign out', words: 'log out leave', act: signOut },
  ];
  return [...schemes, ...others].map((item) => ({ ...item, group: 'Commands' }));
}

/** @param {Console} app @returns {Item[]} */
function modelItems({ chats, announce }) {
  const { models } = chats();
  return models.usable.map((id) => ({
    id: `model-${id}`,
    group: 'Model of the next message',
    label: id,
    hint: id === models.modelId ? 'In use' : '',
    words: 'switch model',
    act: () => {
      models.choose(id);
      announce(`The next message goes to ${id}.`);
    },
  }));
}

/** @param {Console} app @returns {Promise<Item[]>} one for each endpoint @throws {Error} the error of the request */
export async function readEndpointItems({ transport, go }) {
  const endpoints = await readEndpoints(transport);
  return endpoints.map(({ name, aliases, summary }) => ({
    id: `endpoint-${name}`,
    group: 'Endpoints',
    label: name,
    hint: summary.replaceAll('`', ''), // they mark code, which a hint does not show
    words: [...aliases, summary].join(' '),
    onlyTyped: true,
    act: () => go(hrefOf('explorer', name)),
  }));
}

/** @param {Console} app @returns {Promise<Item[]>} one for each collection that the user may read @throws {Error} the error of the request */
export async function readCollectionItems({ transport, go }) {
  const collections = await readCollections(transport);
  return collections.map(({ name }) => ({
    id: `collection-${name}`,
    group: 'Collections',
    label: wordOf(name),
    words: `${name} data collection`,
    onlyTyped: true,
    act: () => go(dataHref(name)),
  }));
}

/**
 * @param {Console} app @param {string} typed
 * @returns {Promise<(Item & {excerpt: import('../chat/search-results.js').Excerpt})[]>} chats with a message that has the words
 * @throws {Error} the error of the request
 */
export async function findMessages({ transport, chats, go }, typed) {
  const { results } = await transport.get('/api/ai/search', { q: typed, limit: 8 });
  const found = /** @type {import('../chat/search-results.js').Result[]} */ (results);
  return found.flatMap(({ chat, message }) => message ? [{
    id: `message-${message.recordId}`,
    group: 'In messages',
    label: chat.title || 'New chat',
    excerpt: message.snippet,
    act: () => (go(hrefOf('chat', chat.recordId)), chats().open(chat.recordId, message.recordId)),
  }] : []);
}
