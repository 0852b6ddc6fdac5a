// The chat page: chats, the conversation, and the tables that the assistant works on.

import { createChatList, titleOf } from './chat-list.js';
import { createChats } from './chats.js';
import { element } from '../shared/elements.js';
import { createLiveCollection } from '../shared/live-collection.js';
import { createRecordTable } from './record-table.js';
import { TABLES } from './record-tables.js';
import { hrefOf, parseRoute } from './route.js';
import { createTalk } from './talk.js';

const PANES = [
  ['chats', 'Chats'],
  ['talk', 'Talk'],
  ['records', 'Records'],
];

const GONE = 'This chat no longer exists.';

/** @typedef {import('./workspace.js').ViewContext} ViewContext */

/** @param {ViewContext} context @returns {import('./workspace.js').View} */
export function createChatView(context) {
  const chats = createChats({ ...context, onTurnEnd });
  const list = createChatList(chats, { onNewChat: startNewChat, onOpen: showTalk });
  const talk = createTalk({ ...context, chats, onCreated: navigate });
  const collections = TABLES.map(({ name }) => createLiveCollection(name, context));
  const tables = TABLES.map((kind, at) => createRecordTable(kind, collections[at], context.drafts));
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
    chats.collection.onChange(checkOpenChat),
    ...collections.map((collection) => collection.onChange(showRecords)),
  ];
  switches.choose('talk');

  /** @param {string | null} chatId */
  function navigate(chatId) {
    location.hash = hrefOf('chat', chatId);
    show(chatId); // not left to the hashchange event: the caller uses the open chat at once
  }

  /** Shows an empty chat page. The chat itself is created with its first message. */
  function startNewChat() {
    navigate(null);
    switches.choose('talk');
    talk.focus();
  }

  /** Needed even for the chat that is already open: on a narrow screen the list may hide it. */
  function showTalk() {
    switches.choose('talk');
  }

  /** @param {string | null} chatId */
  function show(chatId) {
    list.select(chatId);
    if (chatId === open) return; // hashchange also follows a change made by this page
    open = chatId;
    context.drafts.set('open-chat', chatId ?? '');
    talk.open(chatId);
    checkOpenChat();
  }

  /** Updates titles, and leaves the open chat if it was deleted or never existed. */
  function checkOpenChat() {
    talk.show();
    context.onTitle();
    const { rows, loaded } = chats.collection;
    if (!open || !loaded || rows[open]) return;
    const missingId = open;
    const byThisPage = chats.wasRemovedHere(missingId);
    const draft = byThisPage ? '' : context.drafts.get(missingId);
    if (draft) moveDraftToNewChat(missingId, draft);
    replace(null);
    if (byThisPage) return;
    switches.choose('talk');
    talk.composer.showProblem(draft ? `${GONE} Your draft is kept here.` : GONE);
  }

  /** @param {string} chatId the chat whose draft is moved @param {string} draft */
  function moveDraftToNewChat(chatId, draft) {
    context.drafts.set('new', [context.drafts.get('new'), draft].filter(Boolean).join('\n\n'));
    context.drafts.set(chatId, '');
  }

  /** Hides the records pane if the server has none of the collections. */
  function showRecords() {
    const none = collections.every(({ missing }) => missing);
    if (none && panes.dataset.pane === 'records') switches.choose('talk');
    node.classList.toggle('without-records', none);
  }

  function onTurnEnd() {
    context.onTurnEnd();
    for (const collection of [chats.collection, ...collections]) collection.refresh();
  }

  /**
   * Shows another chat and replaces the history entry, so that Back does not return here.
   * @param {string | null} chatId
   */
  function replace(chatId) {
    if (parseRoute(location.hash).view === 'chat') location.replace(hrefOf('chat', chatId));
    show(chatId);
  }

  /** Without a chat in the first route, the chat that was open last is shown. */
  function showRoute(/** @type {string | null} */ chatId) {
    const last = open === undefined ? context.drafts.get('open-chat') : '';
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
    show: showRoute,
    focus: talk.focus,
    refresh: () => [chats.collection, ...collections].forEach((collection) => collection.refresh()),
    stop() {
      for (const stopOne of stopWatching) stopOne();
      list.stop();
      talk.stop();
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
