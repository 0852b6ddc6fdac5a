// The page of a signed-in user: the header, and one view at a time.

import { createTransport } from './api-transport.js';
import { createBrand } from './brand.js';
import { createChatView } from './chat-view.js';
import { createConnectionsView } from './connections-view.js';
import { createCredits } from './credits.js';
import { createDrafts } from './drafts.js';
import { element } from './elements.js';
import { createRecordsSocket } from './records-socket.js';
import { hrefOf, parseRoute } from './route.js';

/**
 * What every view is given.
 * @typedef {object} World
 * @property {import('./api-transport.js').Transport} transport
 * @property {import('./records-socket.js').RecordsSocket} socket
 * @property {import('./drafts.js').Drafts} drafts
 * @property {Storage} storage
 * @property {() => void} onTurnEnd
 * @property {() => void} onTitle the title of a view has changed
 * @property {(sentence: string) => void} announce
 *
 * @typedef {{node: HTMLElement, title: string, show: (id: string | null) => void,
 *   refresh: () => void, focus: () => void, stop: () => void}} View `title` is '' for none
 */

/** A view is an entry here, and in the menu. */
const VIEWS = [
  { name: 'chat', label: 'Chat', create: createChatView },
  { name: 'connections', label: 'Connections', create: createConnectionsView },
];

const TITLE = document.title;
const OVER = 'Your session is over. Sign in again; what you typed is kept.';

/**
 * @param {object} options
 * @param {import('./session.js').Session} options.session
 * @param {Storage} options.storage
 * @param {boolean} options.sandbox
 * @param {(sentence: string) => void} options.announce
 */
export function createWorkspace({ session, storage, sandbox, announce }) {
  const over = () => session.end(OVER);
  const transport = createTransport({
    token: () => session.token,
    // A late answer to an old token must not end the session that has begun since.
    onUnauthorized: (token) => token === session.token && token !== null && over(),
    onAnswer: hurry,
  });
  const socket = createRecordsSocket({ token: session.token ?? '', onSessionOver: over });
  const drafts = createDrafts(storage, session.subject);
  const credits = createCredits(transport);
  const hears = { onTurnEnd: credits.refresh, onTitle: showTitle };
  const world = { transport, socket, drafts, storage, announce, ...hears };
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
    element('span', { class: 'more' }, 'Lists are read again after each reply.'),
    reload,
  );
  const menu = createMenu();
  const of = { sandbox, menu: menu.node, live, credits: credits.node, subject: session.subject };
  const header = createHeader({ ...of, signOut });
  const node = element('div', { class: 'workspace' }, header, notice, main);
  const stopHearing = socket.onPhase(showPhase);
  window.addEventListener('hashchange', showRoute);
  window.addEventListener('online', hurry);
  document.addEventListener('visibilitychange', hurry);
  socket.start();
  showRoute();

  function showPhase() {
    const open = socket.phase === 'open';
    word.textContent = open ? 'Live' : 'Not live';
    live.dataset.on = String(open);
    // Not while the first connection is being made: that is no news.
    if (socket.phase === 'waiting') notice.hidden = false;
    if (!open || notice.hidden) return;
    notice.hidden = true;
    credits.refresh();
  }

  /** Who looks, or has just been answered, need not wait for the timer. */
  function hurry() {
    if (!document.hidden) socket.hurry();
  }

  function showRoute() {
    const { view, id } = parseRoute(location.hash);
    const known = VIEWS.find(({ name }) => name === view) ?? VIEWS[0];
    const shown = views.get(known.name) ?? known.create(world);
    views.set(known.name, shown);
    current = shown;
    if (main.firstChild !== shown.node) main.replaceChildren(shown.node);
    menu.mark(known.name, id);
    shown.show(id);
    showTitle();
  }

  function showTitle() {
    document.title = current?.title ? `${current.title} · ${TITLE}` : TITLE;
  }

  function refresh() {
    for (const view of views.values()) view.refresh();
    credits.refresh();
    hurry();
  }

  function signOut() {
    drafts.clear(); // a session that ends by itself keeps them; who leaves takes them along
    session.end('You are signed out.');
  }

  showPhase();
  return {
    node,
    ready() {
      // On a touch screen this would raise the keyboard before anything has been read.
      if (matchMedia('(pointer: fine)').matches) [...views.values()].at(-1)?.focus();
    },
    stop() {
      window.removeEventListener('hashchange', showRoute);
      window.removeEventListener('online', hurry);
      document.removeEventListener('visibilitychange', hurry);
      stopHearing();
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
     * Each entry leads back to where its view was left.
     * @param {string} name of the view that is shown @param {string | null} id what it shows
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
