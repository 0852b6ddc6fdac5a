// The list of the signed-in user's chats, in groups, with the newest message first. Above it is a search field.

import { requestConfirmation } from '../page/confirm-dialog.js';
import { createChatRow, lastActive, titleOf } from './chat-row.js';
import { arrange, element, icon, isFocusLost } from '../shared/elements.js';
import { compareTexts } from '../shared/live-rows.js';
import { createProblemLine } from '../page/problem-line.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {import('./chats.js').Chats} Chats
 */

const PAGE = 50; // chats

/**
 * @param {Chats} chats
 * @param {object} handlers
 * @param {() => void} handlers.onNewChat
 * @param {() => void} handlers.onOpen
 * @param {(chatId: string, messageId: string | null) => void} handlers.onFound
 * @param {import('../shared/api-transport.js').Transport} handlers.transport
 */
export function createChatList(chats, { onNewChat, onOpen, onFound, transport }) {
  const problem = createProblemLine(chats.collection);
  const { attempt } = problem;
  const addProps = { type: 'button', class: 'new-chat', on: { click: onNewChat } };
  const add = element('button', addProps, icon('plus'), 'New chat');
  const head = element('div', { class: 'pane-head' }, element('h2', { id: 'chats-title' }, 'Chats'), add);
  const empty = element('p', { class: 'empty', hidden: true }, 'No chats yet.');
  const groups = element('div', { class: 'chat-groups' });
  const older = element('button', { type: 'button', class: 'quiet', on: { click: showOlder } }, 'Show older chats');
  const lists = element('div', { class: 'chat-lists', on: { keydown: press } }, groups, older, empty);
  const searchProps = { type: 'search', class: 'field', placeholder: 'Search', 'aria-label': 'Search chats', maxlength: '200', autocomplete: 'off', data: { search: '' } };
  const input = element('input', searchProps);
  const field = element('div', { class: 'chat-search', role: 'search' }, icon('search'), input);
  const results = element('div', { class: 'chat-results', hidden: true });
  input.addEventListener('focus', loadSearch);
  const name = { class: 'pane chats-pane', 'aria-labelledby': 'chats-title' };
  const node = element('nav', name, head, field, problem.node, results, lists);
  const actions = { attempt, onOpen, remove, rename: chats.rename, pin: chats.pin, save };
  const loadMenu = () => import('../page/popup-menu.js').then(({ showMenu }) => showMenu);
  loadMenu().catch(() => {}); // if it fails, the menu is loaded when it is opened
  /** @type {Map<string, ReturnType<typeof createChatRow>>} */
  const rows = new Map();
  /** @type {Map<string, {node: HTMLElement, list: HTMLElement}>} */
  const sections = new Map();
  /** @type {string | null} */
  let selected = null;
  let limit = PAGE;

  async function loadSearch() {
    input.removeEventListener('focus', loadSearch);
    const loaded = await attempt(async () => {
      const startSearch = await import('../chat/search-box.js').then((module) => module.startSearch);
      startSearch({ input, results, lists, transport, onFound });
    });
    if (!loaded) input.addEventListener('focus', loadSearch);
  }

  /** @param {Row} row */
  async function remove(row) {
    const title = titleOf(row);
    const text = `“${title}” and all its messages will be deleted. This can’t be undone.`;
    if (!(await requestConfirmation({ title: 'Delete this chat?', text, action: 'Delete' }))) return;
    if ((await attempt(() => chats.remove(row.recordId))) && isFocusLost()) add.focus();
  }

  /** @param {string} chatId @param {'markdown' | 'json'} format */
  async function save(chatId, format) {
    const saveChat = await import('../chat/chat-file.js').then((module) => module.saveChat);
    await saveChat(transport, chatId, format);
  }

  function showOlder() {
    const before = limit;
    limit += PAGE;
    show();
    if (older.hidden && isFocusLost()) linksIn(lists)[before]?.focus(); // the first chat that was added
  }

  function show() {
    const { collection } = chats;
    const all = groupsOf(Object.values(collection.rows));
    const count = all.reduce((sum, group) => sum + group.rows.length, 0);
    for (const [id, row] of rows) {
      if (collection.rows[id]) continue;
      row.node.remove();
      rows.delete(id);
    }
    const focused = /** @type {HTMLElement | null} */ (groups.contains(document.activeElement) ? document.activeElement : null);
    let left = limit;
    const shown = all.map((group) => {
      const page = group.rows.slice(0, left);
      left -= page.length;
      return { ...group, rows: page };
    });
    render(shown.filter((group) => group.rows.length));
    if (isFocusLost()) focused?.focus(); // the focused row has moved to another group
    older.hidden = count <= limit;
    empty.hidden = count > 0 || !collection.loaded;
    problem.update();
  }

  /**
   * Moves rows between groups before removing anything. So a title field in which the user types keeps the focus;
   * losing the focus would save the unfinished title.
   * @param {{name: string, rows: Row[]}[]} all
   */
  function render(all) {
    const parts = all.map((group) => ({ section: sectionOf(group.name), nodes: group.rows.map(renderRow) }));
    arrange(groups, parts.map(({ section }) => section.node));
    for (const { section, nodes } of parts) arrange(section.list, nodes);
    for (const { section, nodes } of parts) cut(section.list, nodes.length);
    cut(groups, parts.length);
  }

  /** @param {string} heading */
  function sectionOf(heading) {
    const section = sections.get(heading) ?? createSection(heading);
    sections.set(heading, section);
    return section;
  }

  /** @param {Row} row */
  function renderRow(row) {
    const item = rows.get(row.recordId) ?? createChatRow({ ...actions, loadMenu });
    rows.set(row.recordId, item);
    item.update(row, row.recordId === selected);
    return item.node;
  }

  /** The arrow keys move from row to row. @param {KeyboardEvent} event */
  function press(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const link = /** @type {HTMLElement | null} */ (/** @type {HTMLElement} */ (event.target).closest('li')?.querySelector('.chat-link') ?? null);
    if (!step || !link || /** @type {HTMLElement} */ (event.target).tagName === 'INPUT') return;
    event.preventDefault();
    const links = linksIn(lists);
    links[links.indexOf(link) + step]?.focus();
  }

  return {
    node,
    show,
    stop: chats.collection.onChange(show),
    /** @param {string | null} chatId */
    select(chatId) {
      selected = chatId;
      show();
    },
  };
}

/** @param {HTMLElement} lists @returns {HTMLElement[]} */
function linksIn(lists) {
  return /** @type {HTMLElement[]} */ ([...lists.querySelectorAll('.chat-link:not([hidden])')]);
}

/** @param {HTMLElement} list @param {number} length how many items stay */
function cut(list, length) {
  while (list.childNodes.length > length) list.lastChild?.remove();
}

/** @param {string} name */
function createSection(name) {
  const id = `chats-${name.toLowerCase().replaceAll(' ', '-')}`;
  const list = element('ul', { class: 'chats', 'aria-labelledby': id });
  return { list, node: element('section', {}, element('h3', { id, class: 'chat-group' }, name), list) };
}

/**
 * @param {Row[]} rows @param {Date} [now]
 * @returns {{name: string, rows: Row[]}[]} without empty groups; the newest chat comes first in each
 */
export function groupsOf(rows, now = new Date()) {
  const [today, yesterday, week] = [0, 1, 7].map((days) => startOfDay(now, days));
  const sorted = [...rows].sort((a, b) => compareTexts(lastActive(b), lastActive(a)) || compareTexts(a.recordId, b.recordId));
  /** @type {Map<string, Row[]>} */
  const groups = new Map(['Pinned', 'Today', 'Yesterday', 'Previous 7 days', 'Older'].map((name) => [name, []]));
  for (const row of sorted) groups.get(nameOf(row))?.push(row);
  return [...groups].map(([name, members]) => ({ name, rows: members })).filter(({ rows: members }) => members.length);

  /** @param {Row} row */
  function nameOf(row) {
    const at = Date.parse(lastActive(row));
    if (row.data.pinned) return 'Pinned';
    if (at >= today) return 'Today';
    if (at >= yesterday) return 'Yesterday';
    return at >= week ? 'Previous 7 days' : 'Older';
  }
}

/** @param {Date} now @param {number} days before it @returns {number} milliseconds, in the user's time zone */
function startOfDay(now, days) {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
}
