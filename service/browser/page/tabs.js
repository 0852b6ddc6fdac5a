// The parts of a view as a row of links, one of which is current.

import { element } from '../shared/elements.js';
import { hrefOf } from './route.js';

/**
 * @param {string} label @param {string} view
 * @param {{id: string | null, label: string}[]} parts `id` as in the route of the view
 */
export function createTabs(label, view, parts) {
  const links = parts.map((part) => element('a', { href: hrefOf(view, part.id) }, part.label));
  return {
    node: element('nav', { class: 'tabs', 'aria-label': label }, ...links),
    /** @param {string | null} id of the part that is shown */
    mark(id) {
      parts.forEach((part, at) => {
        if (part.id === id) links[at].setAttribute('aria-current', 'page');
        else links[at].removeAttribute('aria-current');
      });
    },
    focus: () => links[0].focus(),
  };
}
