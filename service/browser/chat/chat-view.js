// The chat page: the list of chats, the open conversation, and the data that the assistant works on.

import { createChatList } from './chat-list.js';
import { titleOf } from './chat-row.js';
import { createChats } from './chats.js';
import { element, isFocusLost, mayFocusFields } from '../shared/elements.js';
import { createDataDrawer } from './data-drawer.js';
import { createOtherTabs } from './other-tabs.js';
import { everyMinute } from '../shared/page-clock.js';
import { hrefOf, parseRoute } from '../page/route.js';
import { createConversationPane } from './conversation-pane.js';

const PANES = [
  ['chats', 'Chats'],
  ['talk', 'Conversation'],
];

const GONE = 'This chat no longer exists.';

/** @typedef {import('../page/view.js').ViewContext} ViewContext */

/** @param {ViewContext} context @returns {import('../page/view.js').View & {chats: import('../page/view.js').Chats}} */
export function createChatView(context) {
  const tabs = createOtherTabs(context.subject);
  const chats = createChats({ ...context, onTurnEnd, onTurnBegin: tabs.tell });
  const list = createChatList(chats, { ...context, onNewChat: startNewChat, onOpen: showConversation, onFound: showFound });
  const data = createDataDrawer(context, showData);
  const pane = createConversationPane({ ...context, chats, tabs, tools: [data.button], onCreated, onEmpty: removeEmpty });
  const panes = element('div', { class: 'panes' }, list.node, pane.node, data.pane);
  const switches = createPaneSwitch((name) => (panes.dataset.pane = name));
  const node = element('div', { class: 'chat-view' }, switches.node, panes, data.dialog);
  /** @type {string | null | undefined} */
  let open;
  const stopWatching = chats.collection.onChange(checkOpenChat);
  const stopClock = everyMinute(list.show);
  switches.choose('talk');

  /** @param {string | null} chatId */
  function navigate(chatId) {
    location.hash = hrefOf('chat', chatId);
    show(chatId); // not when the hashchange event comes, because the caller uses the open chat at once
  }

  /** Opens a new chat. If the user has gone to another page meanwhile, that page stays on the screen. @param {string} chatId */
  function onCreated(chatId) {
    if (node.isConnected) navigate(chatId);
    else show(chatId);
  }

  /** Shows an empty chat page. The chat itself is created with its first message. */
  function startNewChat() {
    if (pane.isDetached) pane.open(null);
    navigate(null);
    switches.choose('talk');
    pane.focus();
  }

  /** Deletes a new chat whose first turn stored nothing. The question stays in the composer. @param {string} chatId */
  function removeEmpty(chatId) {
    if (open !== chatId) return;
    open = null;
    context.drafts.set('open-chat', '');
    pane.detach();
    if (parseRoute(location.hash).view === 'chat') location.replace(hrefOf('chat'));
    list.select(null);
    context.onTitle();
    chats.remove(chatId).catch(() => {}); // if the server can't be reached, the chat stays in the list, where the user can delete it
  }

  /** Shows the conversation pane. This is needed even for the open chat: on a narrow screen the list may hide it. */
  function showConversation() {
    switches.choose('talk');
    if (isFocusLost() && mayFocusFields()) pane.focus();
  }

  /** @param {string} chatId @param {string | null} messageId of the message that the search has found in the chat */
  function showFound(chatId, messageId) {
    navigate(chatId);
    switches.choose('talk');
    if (messageId) pane.reveal(messageId);
    else if (mayFocusFields()) pane.focus();
  }

  /** @param {string | null} chatId */
  function show(chatId) {
    list.select(chatId);
    if (chatId === open) return; // the hashchange event also fires when this page has changed the hash
    open = chatId;
    context.drafts.set('open-chat', chatId ?? '');
    pane.open(chatId);
    checkOpenChat();
  }

  /** Updates titles, and leaves the open chat if it was deleted or never existed. */
  function checkOpenChat() {
    pane.show();
    context.onTitle();
    if (!open || !chats.isGone(open)) return;
    const missingId = open;
    const byThisPage = chats.wasRemovedHere(missingId);
    const draft = byThisPage ? '' : context.drafts.get(missingId);
    if (draft) moveDraftToNewChat(missingId, draft);
    replace(null);
    if (byThisPage) return;
    switches.choose('talk');
    pane.composer.showProblem(draft ? `${GONE} Your draft is kept here.` : GONE);
  }

  /** @param {string} chatId the chat whose draft is moved @param {string} draft */
  function moveDraftToNewChat(chatId, draft) {
    context.drafts.set('new', [context.drafts.get('new'), draft].filter(Boolean).join('\n\n'));
    context.drafts.set(chatId, '');
  }

  /** @param {boolean} isEmpty whether the app has no collection of its own */
  function showData(isEmpty) {
    node.classList.toggle('without-data', isEmpty);
  }

  function refresh() {
    chats.collection.refresh();
    data.refresh();
    pane.refresh();
  }

  function onTurnEnd() {
    context.onTurnEnd();
    refresh();
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
    chats: { collection: chats.collection, models: pane.models, startNew: startNewChat, open: showFound },
    get title() {
      const row = open && chats.collection.rows[open];
      return row ? titleOf(row) : '';
    },
    show: showRoute,
    focus: pane.focus,
    isBusy: chats.isReplying,
    refresh,
    stop() {
      stopWatching();
      stopClock();
      list.stop();
      pane.stop();
      tabs.stop();
      chats.stop();
      data.stop();
    },
  };
}

/** The buttons that select the pane on narrow screens, where one pane is shown at a time. @param {(name: string) => void} show */
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
