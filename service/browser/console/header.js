// The header of the console: the menu of views, the state of the connection, the credits, and the account menu.

import { createAccountMenu } from './account-menu.js';
import { createBrand } from '../page/brand.js';
import { createDisclosure } from '../page/disclosure.js';
import { element, icon } from '../shared/elements.js';
import { hrefOf } from '../page/route.js';

/**
 * @typedef {{name: string, label: string, role?: string}} Entry `role`: the only role that sees the entry
 *
 * @param {object} options
 * @param {boolean} options.sandbox
 * @param {Entry[]} options.entries
 * @param {HTMLElement} options.credits
 * @param {string} options.subject
 * @param {() => void} options.signOut
 * @param {() => void} options.showPalette
 * @param {() => void} options.showShortcuts
 */
export function createHeader({ sandbox, entries, credits, ...account }) {
  const menu = createMenu(entries);
  const accountMenu = createAccountMenu(account);
  const word = element('span', { class: 'live-word' });
  const live = element('span', { class: 'live' }, word);
  const state = element('div', { class: 'top-state' }, live, credits, accountMenu.node);
  const node = element('header', { class: 'top' }, createBrand(sandbox), menu.node, state);
  return {
    node,
    mark: menu.mark,
    showEntriesFor: menu.showEntriesFor,
    /** @param {boolean} on whether changes made elsewhere arrive at once */
    showLive(on) {
      word.textContent = on ? 'Live' : 'Not live';
      live.title = on ? 'Changes appear at once' : 'Changes appear after a reload';
      live.dataset.on = String(on);
    },
    stop() {
      menu.stop();
      accountMenu.stop();
    },
  };
}

/** The menu entries: in a row on wide screens, in a panel below a button on narrow ones. @param {Entry[]} entries */
function createMenu(entries) {
  const links = entries.map(({ name, label, role }) => element('a', { href: hrefOf(name), data: { name }, hidden: !!role }, label));
  const nav = element('nav', { class: 'menu disclosure-panel', 'aria-label': 'Views' }, ...links);
  const current = element('span', {});
  const button = element('button', { type: 'button', class: 'menu-button' }, icon('brand'), current);
  const disclosure = createDisclosure({ button, panel: nav, class: 'views-menu' });
  nav.addEventListener('click', disclosure.close);
  return {
    node: disclosure.node,
    stop: disclosure.stop,
    /** @param {string} role '' if it is not known: then the entries do not change */
    showEntriesFor(role) {
      entries.forEach((entry, at) => {
        if (entry.role && role) links[at].hidden = entry.role !== role;
      });
    },
    /**
     * Marks the current entry. The link of each entry leads to the id that its view showed last.
     * @param {string} name of the current view, '' for none @param {string | null} id that the view shows
     */
    mark(name, id) {
      current.textContent = 'Menu';
      for (const link of links) {
        if (link.dataset.name !== name) link.removeAttribute('aria-current');
        else {
          link.setAttribute('aria-current', 'page');
          link.href = hrefOf(name, id);
          current.textContent = link.textContent;
        }
      }
      button.setAttribute('aria-label', `Views: ${current.textContent}`); // has the visible word, so that users of speech input can say it
    },
  };
}
