// The page of a signed-in user: the header, and one view at a time.

import { createTransport } from '../shared/api-transport.js';
import { createBrand } from './brand.js';
import { createChatView } from './chat-view.js';
import { createConnectionsView } from './connections-view.js';
import { createCredits } from './credits.js';
import { createDrafts } from './drafts.js';
import { element } from '../shared/elements.js';
import { createRecordsSocket } from '../shared/records-socket.js';
import { createLateView } from './late-view.js';
import { letF6MoveBetweenRegions } from './regions.js';
import { hrefOf, parseRoute } from './route.js';

/**
 * What every view receives.
 * @typedef {object} ViewContext
 * @property {import('../shared/api-transport.js').Transport} transport
 * @property {import('../shared/records-socket.js').RecordsSocket} socket
 * @property {import('./drafts.js').Drafts} drafts
 * @property {Storage} storage
 * @property {string} subject of the signed-in user
 * @property {() => void} onTurnEnd
 * @property {() => number | null} balance credits left when last read; null if unknown
 * @property {() => void} onTitle the title of a view has changed
 * @property {(sentence: string) => void} announce
 *
 * @typedef {{node: HTMLElement, title: string, show: (id: string | null) => void,
 *   refresh: () => void, focus: () => void, stop: () => void}} View `title` is '' for none
 */

/** The views, in the order of the menu. */
const VIEWS = [
  { name: 'chat', label: 'Chat', create: createChatView },
  { name: 'connections', label: 'Connections', create: createConnectionsView },
  { name: 'canvas', label: 'Canvas', create: createCanvases },
  { name: 'explorer', label: 'Explorer', create: createExplorer },
];

const TITLE = document.title;
const SESSION_ENDED = 'Your session has ended. Sign in again; your drafts are kept.';

/**
 * @param {object} options
 * @param {import('./session.js').Session} options.session
 * @param {Storage} options.storage
 * @param {boolean} options.sandbox
 * @param {(sentence: string) => void} options.announce
 */
export function createWorkspace({ session, storage, sandbox, announce }) {
  const endSession = () => session.end(SESSION_ENDED);
  const transport = createTransport({
    token: () => session.token,
    // A late answer to an old token must not end a newer session.
    onUnauthorized: (token) => token === session.token && token !== null && endSession(),
    onAnswer: reconnectNow,
  });
  const socket = createRecordsSocket({ token: session.token ?? '', onSessionOver: endSession });
  const drafts = createDrafts(storage, session.subject);
  const credits = createCredits(transport);
  const callbacks = { onTurnEnd: credits.refresh, balance: credits.balance, onTitle: showTitle };
  const context = { transport, socket, drafts, storage, subject: session.subject, announce, ...callbacks };
  /** @type {Map<string, View>} */
  const views = new Map();
  /** @type {View | null} */
  let current = null;
  const main = element('main', {});
  const word = element('span', { class: 'live-word' });
  const live = element('span', { class: 'live' }, word);
  const reload = element('button', { type: 'button', class: 'quiet', on: { click: refresh } }, 'Reload lists');
  const notice = element(
    'p',
    { class: 'notice', hidden: true },
    'Live updates are off.',
    element('span', { class: 'more' }, 'Lists reload after each reply.'),
    reload,
  );
  const menu = createMenu();
  const parts = { sandbox, menu: menu.node, live, credits: credits.node, subject: session.subject };
  const header = createHeader({ ...parts, signOut });
  const node = element('div', { class: 'workspace' }, header, notice, main);
  const removePhaseListener = socket.onPhase(showPhase);
  const stopF6 = letF6MoveBetweenRegions(node);
  window.addEventListener('hashchange', showRoute);
  window.addEventListener('online', socket.renew);
  document.addEventListener('visibilitychange', reconnectNow);
  socket.start();
  showRoute();

  function showPhase() {
    const open = socket.phase === 'open';
    word.textContent = open ? 'Live' : 'Not live';
    live.dataset.on = String(open);
    // Not shown while the first connection is being made.
    if (socket.phase === 'waiting') notice.hidden = false;
    if (!open || notice.hidden) return;
    notice.hidden = true;
    credits.refresh();
  }

  /** Reconnects without waiting when the page is visible and the server may be back. */
  function reconnectNow() {
    if (!document.hidden) socket.reconnectNow();
  }

  function showRoute() {
    const { view: viewName, id } = parseRoute(location.hash);
    const entry = VIEWS.find(({ name }) => name === viewName) ?? VIEWS[0];
    const view = views.get(entry.name) ?? entry.create(context);
    views.set(entry.name, view);
    current = view;
    if (main.firstChild !== view.node) main.replaceChildren(view.node);
    menu.mark(entry.name, id);
    view.show(id);
    showTitle();
  }

  function showTitle() {
    document.title = current?.title ? `${current.title} · ${TITLE}` : TITLE;
  }

  function refresh() {
    for (const view of views.values()) view.refresh();
    credits.refresh();
    reconnectNow();
  }

  function signOut() {
    drafts.clear(); // an expired session keeps the drafts; signing out deletes them
    session.end('You are signed out.');
  }

  showPhase();
  return {
    node,
    ready() {
      // On a touch screen the focus would open the keyboard.
      if (matchMedia('(pointer: fine)').matches) [...views.values()].at(-1)?.focus();
    },
    stop() {
      window.removeEventListener('hashchange', showRoute);
      window.removeEventListener('online', socket.renew);
      document.removeEventListener('visibilitychange', reconnectNow);
      removePhaseListener();
      stopF6();
      for (const view of views.values()) view.stop();
      socket.stop();
      document.title = TITLE;
    },
  };
}

/**
 * @param {{sandbox: boolean, menu: HTMLElement, live: HTMLElement, credits: HTMLElement,
 *   subject: string, signOut: () => void}} parts
 */
function createHeader({ sandbox, menu, live, credits, subject, signOut }) {
  const leave = element('button', { type: 'button', class: 'quiet', on: { click: signOut } }, 'Sign out');
  return element(
    'header',
    { class: 'top' },
    createBrand(sandbox),
    menu,
    element('span', { class: 'spacer' }),
    live,
    credits,
    element('span', { class: 'subject', title: 'Signed in as' }, subject),
    leave,
  );
}

function createMenu() {
  const links = VIEWS.map(({ name, label }) => element('a', { href: hrefOf(name), data: { name } }, label));
  return {
    node: element('nav', { class: 'menu', 'aria-label': 'Views' }, ...links),
    /**
     * Marks the current entry. Each entry links to where its view was left.
     * @param {string} name of the current view @param {string | null} id of what it shows
     */
    mark(name, id) {
      for (const link of links) {
        if (link.dataset.name !== name) link.removeAttribute('aria-current');
        else {
          link.setAttribute('aria-current', 'page');
          link.href = hrefOf(name, id);
        }
      }
    },
  };
}

/** @param {ViewContext} context @returns {View} */
function createCanvases(context) {
  return createLateView(context, {
    title: 'Canvases',
    styles: ['../shared/schema-form.css', 'canvases.css', '../widgets/canvas.css', '../widgets/approval.css', '../widgets/message-log.css'],
    load: () => import('./canvases-view.js').then(({ createCanvasesView }) => createCanvasesView),
  });
}

/** @param {ViewContext} context @returns {View} */
function createExplorer(context) {
  const load = () => import('./explorer-view.js').then((module) => module.createExplorerView);
  return createLateView(context, { title: 'Explorer', styles: ['../shared/schema-form.css', 'explorer.css', '../widgets/approval.css'], load });
}
