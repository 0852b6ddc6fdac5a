// The list of collections: those of the app, and those of the service itself.

import { element } from '../shared/elements.js';
import { isOfTheService, wordOf } from './collections.js';
import { dataHref } from './data-route.js';

/** @typedef {import('./collections.js').Collection} Collection */

export function createCollectionList() {
  const groups = element('div', { class: 'collection-groups' });
  const node = element('nav', { class: 'collection-list', 'aria-label': 'Collections' }, groups);
  /** @type {Map<string, HTMLElement>} */
  const links = new Map();

  /** @param {string} title @param {Collection[]} collections */
  function group(title, collections) {
    if (!collections.length) return null;
    const items = collections.map(({ name }) => {
      const link = element('a', { class: 'collection-link', href: dataHref(name) }, wordOf(name));
      links.set(name, link);
      return element('li', {}, link);
    });
    return element('section', {}, element('h3', {}, title), element('ul', {}, ...items));
  }

  return {
    node,
    /** @param {Collection[]} collections */
    fill(collections) {
      links.clear();
      const own = collections.filter((one) => !isOfTheService(one));
      const parts = [group('This app', own), group('Built-in', collections.filter(isOfTheService))];
      groups.replaceChildren(...parts.filter((part) => part !== null));
    },
    /** @param {string} name */
    mark(name) {
      for (const [each, link] of links) {
        if (each === name) link.setAttribute('aria-current', 'page');
        else link.removeAttribute('aria-current');
      }
    },
    focus: () => (links.values().next().value ?? groups).focus(),
  };
}
