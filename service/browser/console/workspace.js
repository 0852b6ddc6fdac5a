// The page of a signed-in user: the header, and one view at a time.

import { createTransport } from '../shared/api-transport.js';
import { createCommands } from './commands.js';
import { createCredits } from '../page/credits.js';
import { createDrafts } from '../page/drafts.js';
import { element, isFocusLost } from '../shared/elements.js';
import { createEndingNotice } from '../page/ending-notice.js';
import { createHeader } from './header.js';
import { createOutageNotice } from '../page/outage.js';
import { createKeys } from './keys.js';
import { createRecordsSocket } from '../shared/records-socket.js';
import { letF6MoveBetweenRegions } from './regions.js';
import { forgetCollections } from '../data/collections.js';
import { readRole } from '../page/role.js';
import { parseRoute } from '../page/route.js';
import { SESSION_ENDED, createPageTokens } from '../page/session.js';
import { CHAT, VIEWS, viewNamed } from './views.js';

/**
 * @typedef {import('../page/view.js').View} View
 * @typedef {import('../page/view.js').ViewContext} ViewContext
 */

const TITLE = document.title;

/**
 * @param {object} options
 * @param {import('../page/session.js').Session} options.session
 * @param {Storage} options.storage
 * @param {boolean} options.sandbox
 * @param {(sentence: string) => void} options.announce
 */
export function createWorkspace({ session, storage, sandbox, announce }) {
  const ending = createEndingNotice({ session, signIn: () => session.end(SESSION_ENDED) });
  const tokens = createPageTokens(session);
  const transport = createTransport({
    token: tokens.current,
    // A late answer to an old token must not end a newer session.
    onUnauthorized: (token) => token === session.token && token !== null && sessionOver(),
    onAnswer: () => answered(true),
    onUnreachable: () => answered(false),
  });
  const socket = createRecordsSocket({ token: () => session.token, onSessionOver: sessionOver });
  const { signOut } = session;
  const drafts = createDrafts(storage, session.subject);
  const credits = createCredits(transport);
  const callbacks = { onTurnEnd: credits.refresh, onAccount: credits.onAccount, balance: credits.balance, onTitle: showTitle };
  const context = { transport, socket, drafts, storage, subject: session.subject, announce, ...callbacks };
  /** @type {Map<string, View>} */
  const views = new Map();
  /** @type {View | null} */
  let current = null;
  const main = element('main', {});
  const outage = createOutageNotice({ retry: refresh });
  const chats = () => viewOf(CHAT).chats;
  const entries = () => VIEWS.filter((entry) => !entry.role || entry.role === role);
  const commands = createCommands({ transport, chats, entries, go, announce, signOut, onUnreachable: () => answered(false) });
  const { showPalette, showShortcuts } = commands;
  const header = createHeader({ sandbox, entries: VIEWS, credits: credits.node, subject: session.subject, signOut, showPalette, showShortcuts });
  const keys = createKeys(main);
  const node = element('div', { class: 'workspace' }, keys.skip, header.node, outage.node, main, ending.node);
  let address = location.hash; // that is shown
  let isOver = false; // while a reply is still being shown
  let isReachable = true;
  let role = ''; // not known yet
  let isWaiting = false; // for the socket to come back
  const removePhaseListener = socket.onPhase(showPhase);
  const removeTokenListener = session.onToken(socket.useToken);
  const removeSignOutListener = session.onSignOut(drafts.clear); // an expired session keeps the drafts
  const stopF6 = letF6MoveBetweenRegions(node);
  window.addEventListener('hashchange', followRoute);
  window.addEventListener('online', socket.renew);
  document.addEventListener('visibilitychange', reconnectNow);
  socket.start();
  showRoute();
  showEntries();

  /** The token is refused, or has ended. What a reply has said so far stays on the screen. */
  async function sessionOver() {
    if (session.isRenewable) return session.renew();
    isOver ||= [...views.values()].some((view) => view.isBusy?.());
    return isOver ? ending.showEnd() : session.end(SESSION_ENDED);
  }

  function showPhase() {
    const isOpen = socket.phase === 'open';
    header.showLive(isOpen);
    const before = isWaiting;
    // Still waiting while it tries; the first connection is not waited for.
    isWaiting = !isOpen && (isWaiting || socket.phase === 'waiting');
    if (isOpen) isReachable = true;
    showOutage();
    if (isWaiting) forgetCollections(transport); // the service that comes back may have others
    // At the start of an outage, its answer says whether the server is away or only the socket.
    if (before !== isWaiting) credits.refresh();
  }

  function showOutage() {
    if (!isReachable) outage.show('offline');
    else outage.show(isWaiting ? 'not-live' : 'none');
  }

  /** @param {boolean} reachable whether the server has answered a request */
  function answered(reachable) {
    isReachable = reachable;
    showOutage();
    if (reachable) reconnectNow();
  }

  /** Reconnects without waiting when the page is visible and the server may be back. */
  function reconnectNow() {
    if (!document.hidden) socket.reconnectNow();
  }

  function showRoute() {
    const { view: viewName, id } = parseRoute(location.hash);
    if (location.hash !== address) closeDialogs();
    address = location.hash;
    const entry = viewNamed(viewName);
    const view = viewOf(entry);
    current = view;
    const before = main.firstChild;
    if (before !== view.node) main.replaceChildren(view.node);
    header.mark(entry.name, id);
    view.show(id);
    showTitle();
    if (before && before !== view.node) announce(view.title || entry.label); // the focus stays in the menu
  }

  /** What had the focus may be hidden now, as lists are on narrow screens: the next Tab goes on in the page. */
  function followRoute() {
    showRoute();
    if (isFocusLost()) main.focus({ preventScroll: true });
  }

  /** Created when it is first needed. @template {View} T @param {{name: string, create: (context: ViewContext) => T}} entry @returns {T} */
  function viewOf({ name, create }) {
    const view = /** @type {T} */ (views.get(name) ?? create(context));
    views.set(name, view);
    return view;
  }

  /** Shows a view now, not with the hashchange event, and gives it the focus. @param {string} hash */
  function go(hash) {
    location.hash = hash;
    showRoute();
    if (matchMedia('(pointer: fine)').matches) current?.focus();
  }

  /** Shows the entries that only some roles have. */
  async function showEntries() {
    role = (await readRole(transport, session)) || role;
    header.showEntriesFor(role);
  }

  function showTitle() {
    document.title = current?.title ? `${current.title} · ${TITLE}` : TITLE;
  }

  function refresh() {
    for (const view of views.values()) view.refresh();
    credits.refresh();
    showEntries();
    reconnectNow();
  }

  showPhase();
  return {
    node,
    ready() {
      // On a touch screen the focus would open the keyboard.
      if (matchMedia('(pointer: fine)').matches) [...views.values()].at(-1)?.focus();
    },
    stop() {
      tokens.stop();
      window.removeEventListener('hashchange', followRoute);
      window.removeEventListener('online', socket.renew);
      document.removeEventListener('visibilitychange', reconnectNow);
      removePhaseListener();
      removeTokenListener();
      removeSignOutListener();
      ending.stop();
      stopF6();
      keys.stop();
      commands.stop();
      header.stop();
      for (const view of views.values()) view.stop();
      closeDialogs(); // what they show is of the user who has left
      socket.stop();
      document.title = TITLE;
    },
  };
}

/**
 * Dialogs beside the workspace ask about the page that they lie over, but for the list of shortcuts.
 * Closed without an answer, they have none.
 */
function closeDialogs() {
  for (const dialog of document.querySelectorAll('body > dialog:not(.shortcuts)')) {
    if (dialog instanceof HTMLDialogElement && dialog.open) dialog.close();
  }
}
