// The page of a signed-in user: the header and one view at a time.

import { createTransport } from '../shared/api-transport.js';
import { createCommands } from './commands.js';
import { createCredits } from '../page/credits.js';
import { createDrafts } from '../page/drafts.js';
import { element, isFocusLost, mayFocusFields } from '../shared/elements.js';
import { createEndingNotice } from '../page/ending-notice.js';
import { createHeader } from './header.js';
import { createOutageNotice, createOutageWatch } from '../page/outage.js';
import { createKeys } from './keys.js';
import { createRecordsSocket } from '../shared/records-socket.js';
import { letF6MoveBetweenRegions } from './regions.js';
import { forgetReadings } from '../page/readings.js';
import { parseRoute } from '../page/route.js';
import { SESSION_ENDED, createPageTokens, readRole } from '../page/session.js';
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
  const ending = createEndingNotice({ session, signIn: () => session.end(SESSION_ENDED), leave: focusMain });
  const tokens = createPageTokens(session);
  const transport = createTransport({
    token: tokens.current,
    // A late answer to an old token must not end a newer session.
    onUnauthorized: (token) => token === session.token && token !== null && sessionOver(),
    onAnswer: () => outage.setReachable(true),
    onUnreachable: () => outage.setReachable(false),
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
  const notice = createOutageNotice({ retry: refresh, leave: focusMain });
  const chats = () => viewOf(CHAT).chats;
  const entries = () => VIEWS.filter((entry) => !entry.role || entry.role === role);
  const commands = createCommands({ transport, chats, entries, go, announce, signOut, onUnreachable: () => outage.setReachable(false) });
  const { showPalette, showShortcuts } = commands;
  const header = createHeader({ sandbox, entries: VIEWS, credits: credits.node, subject: session.subject, signOut, showPalette, showShortcuts });
  const keys = createKeys(main);
  const node = element('div', { class: 'workspace' }, keys.skip, header.node, notice.node, main, ending.node);
  let address = location.hash; // of the view on the screen
  let isOver = false; // whether the session has ended while a reply is still being shown
  let role = ''; // '' until it is known
  const outage = createOutageWatch({ socket, show: showOutage, request: credits.refresh, onLost: () => forgetReadings(transport) });
  const removeTokenListener = session.onToken(socket.useToken);
  const removeSignOutListener = session.onSignOut(drafts.clear); // only on a sign-out: when a session expires, the drafts are kept
  const stopF6 = letF6MoveBetweenRegions(node);
  window.addEventListener('hashchange', followRoute);
  socket.start();
  showRoute();
  if (!isUsageOverview()) credits.refresh(); // the overview reads the account itself, and reports it
  showEntries();

  /** Called when the token was refused or has ended. A reply that is being received stays on the screen. */
  async function sessionOver() {
    if (session.isRenewable) return session.renew();
    isOver ||= [...views.values()].some((view) => view.isBusy?.());
    return isOver ? ending.showEnd() : session.end(SESSION_ENDED);
  }

  /** @param {import('../page/outage.js').Outage} kind @param {boolean} isLive */
  function showOutage(kind, isLive) {
    header.showLive(isLive);
    notice.show(kind);
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
    if (before && before !== view.node) announce(view.title || entry.label); // announced, because the focus stays in the menu
  }

  /** Shows a changed route. On narrow screens the focused element may be hidden then, so the focus moves into the page. */
  function followRoute() {
    showRoute();
    if (isFocusLost()) focusMain();
  }

  function focusMain() {
    main.focus({ preventScroll: true });
  }

  function isUsageOverview() {
    const { view, id } = parseRoute(location.hash);
    return view === 'usage' && id === null;
  }

  /** Returns a view, which is created when it is first needed. @template {View} T @param {{name: string, create: (context: ViewContext) => T}} entry @returns {T} */
  function viewOf({ name, create }) {
    const view = /** @type {T} */ (views.get(name) ?? create(context));
    views.set(name, view);
    return view;
  }

  /** Shows a view now, not with the hashchange event, and gives it the focus. @param {string} hash */
  function go(hash) {
    location.hash = hash;
    showRoute();
    if (mayFocusFields()) current?.focus();
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
    outage.reconnectNow();
  }

  return {
    node,
    showPalette,
    ready() {
      if (mayFocusFields()) [...views.values()].at(-1)?.focus();
    },
    stop() {
      tokens.stop();
      window.removeEventListener('hashchange', followRoute);
      outage.stop();
      removeTokenListener();
      removeSignOutListener();
      ending.stop();
      stopF6();
      keys.stop();
      commands.stop();
      header.stop();
      for (const view of views.values()) view.stop();
      closeDialogs(); // they may show data of the user who has signed out
      socket.stop();
      document.title = TITLE;
    },
  };
}

/**
 * Closes the dialogs outside the workspace. Except for the list of shortcuts, they ask a question about the page below
 * them; closing a dialog cancels the question.
 */
function closeDialogs() {
  for (const dialog of document.querySelectorAll('body > dialog:not(.shortcuts)')) {
    if (dialog instanceof HTMLDialogElement && dialog.open) dialog.close();
  }
}
