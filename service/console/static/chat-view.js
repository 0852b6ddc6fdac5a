// The chat page: chats, the conversation, and the tables that the assistant works on.

import { createChatList, titleOf } from './chat-list.js';
import { createChats } from './chats.js';
import { element } from './elements.js';
import { createLiveCollection } from './live-collection.js';
import { createRecordTable } from './record-table.js';
import { TABLES } from './record-tables.js';
import { hrefOf, parseRoute } from './route.js';
import { createTalk } from './talk.js';

const PANES = [
  ['chats', 'Chats'],
  ['talk', 'Talk'],
  ['records', 'Records'],
];

const GONE = 'This chat is not there any more.';

/** @typedef {import('./workspace.js').World} World */

/** @param {World} world @returns {import('./workspace.js').View} */
export function createChatView(world) {
  const chats = createChats({ ...world, onTurnEnd });
  const list = createChatList(chats, { begin, read });
  const talk = createTalk({ ...world, chats, onCreated: go });
  const collections = TABLES.map(({ name }) => createLiveCollection(name, world));
  const tables = TABLES.map((kind, at) => createRecordTable(kind, collections[at], world.drafts));
  const records = element(
    'aside',
    { class: 'pane records-pane', 'aria-label': 'Records' },
    ...tables.map((table) => table.node),
  );
  const panes = element('div', { class: 'panes' }, list.node, talk.node, records);
  const switches = createPaneSwitch((name) => (panes.dataset.pane = name));
  const node = element('div', { class: 'chat-view' }, switches.node, panes);
  /** @type {string | null | undefined} */
  let open;
  const stopWatching = [
    chats.collection.onChange(watch),
    ...collections.map((collection) => collection.onChange(showRecords)),
  ];
  switches.choose('talk');

  /** @param {string | null} chatId */
  function go(chatId) {
    location.hash = hrefOf('chat', chatId);
    show(chatId); // now, not at the event: what follows speaks to the chat that is open
  }

  /** An empty page: its first message makes the chat. */
  function begin() {
    go(null);
    switches.choose('talk');
    talk.focus();
  }

  /** Also the chat that is open already: on a narrow screen it may be hidden by the list. */
  function read() {
    switches.choose('talk');
  }

  /** @param {string | null} chatId */
  function show(chatId) {
    list.select(chatId);
    if (chatId === open) return; // the hash tells of what has been shown already
    open = chatId;
    world.drafts.set('open-chat', chatId ?? '');
    talk.open(chatId);
    watch();
  }

  /** Titles change, and a chat can be gone: deleted, here or elsewhere, or a link to none. */
  function watch() {
    talk.show();
    world.onTitle();
    const { rows, loaded } = chats.collection;
    if (!open || !loaded || rows[open]) return;
    const gone = open;
    const own = chats.removedHere(gone);
    const draft = own ? '' : world.drafts.get(gone);
    if (draft) keep(gone, draft);
    replace(null);
    if (own) return;
    switches.choose('talk');
    talk.composer.showProblem(draft ? `${GONE} What you typed is kept here.` : GONE);
  }

  /** @param {string} gone the chat whose draft goes on as that of a new one @param {string} draft */
  function keep(gone, draft) {
    world.drafts.set('new', [world.drafts.get('new'), draft].filter(Boolean).join('\n\n'));
    world.drafts.set(gone, '');
  }

  /** Which tables there are is the server's to say; where there is none, nothing speaks of them. */
  function showRecords() {
    const none = collections.every(({ missing }) => missing);
    if (none && panes.dataset.pane === 'records') switches.choose('talk');
    node.classList.toggle('without-records', none);
  }

  function onTurnEnd() {
    world.onTurnEnd();
    for (const collection of [chats.collection, ...collections]) collection.refresh();
  }

  /**
   * Another chat instead, so that the way back does not lead here again.
   * @param {string | null} chatId
   */
  function replace(chatId) {
    if (parseRoute(location.hash).view === 'chat') location.replace(hrefOf('chat', chatId));
    show(chatId);
  }

  /** Where no chat is named at first, it is the one that was open when the page was left. */
  function first(/** @type {string | null} */ chatId) {
    const last = open === undefined ? world.drafts.get('open-chat') : '';
    if (chatId !== open) switches.choose('talk');
    if (!chatId && last) replace(last);
    else show(chatId);
  }

  return {
    node,
    get title() {
      const row = open && chats.collection.rows[open];
      return row ? titleOf(row) : '';
    },
    show: first,
    focus: talk.focus,
    refresh: () => [chats.collection, ...collections].forEach((collection) => collection.refresh()),
    stop() {
      for (const stopOne of stopWatching) stopOne();
      list.stop();
      chats.stop();
      for (const part of [...tables, ...collections]) part.stop();
    },
  };
}

/** On narrow screens one pane is shown at a time. @param {(name: string) => void} show */
function createPaneSwitch(show) {
  const buttons = PANES.map(([name, label]) =>
    element('button', { type: 'button', data: { pane: name }, on: { click: () => choose(name) } }, label),
  );
  /** @param {string} name */
  function choose(name) {
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset.pane === name));
    }
    show(name);
  }
  const node = element('div', { class: 'pane-switch', role: 'group', 'aria-label': 'Show' }, ...buttons);
  return { node, choose };
}
