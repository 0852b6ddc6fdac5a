// The list of all endpoints, with a search. The list is one tab stop; the arrow keys move in it.

import { element } from '../shared/elements.js';
import { byCategory, searchEndpoints } from './endpoint-search.js';
import { categoryTitle, priceOf } from './endpoint-words.js';
import { hrefOf } from '../page/route.js';
import { isComposing } from '../shared/typing.js';
import { withCode } from '../shared/schema-frame.js';

/**
 * @typedef {import('./endpoint-search.js').Endpoint} Endpoint
 * @typedef {ReturnType<typeof createEndpointList>} EndpointList
 */

const QUERY = 'explorer:query'; // the name of the draft

/** @param {{drafts: import('../page/drafts.js').Drafts, foot: HTMLElement}} options `foot` is shown below the list */
export function createEndpointList({ drafts, foot }) {
  /** @type {Endpoint[]} */
  let endpoints = [];
  let current = '';
  const field = element('input', {
    type: 'search',
    class: 'field-input',
    'aria-label': 'Search endpoints',
    placeholder: 'Search endpoints',
    autocomplete: 'off',
    value: drafts.get(QUERY),
    on: { input: search, keydown: enter },
  });
  const count = element('p', { class: 'hint', role: 'status' });
  const groups = element('div', { class: 'endpoint-groups', on: { keydown: move } });
  const node = element('nav', { class: 'endpoint-list', 'aria-label': 'Endpoints' }, field, count, groups, foot);

  function search() {
    drafts.set(QUERY, field.value);
    render();
    groups.scrollTop = 0; // the best matches are at the top
  }

  function render() {
    const found = searchEndpoints(endpoints, field.value);
    const isSearch = field.value.trim() !== '';
    groups.replaceChildren(...(isSearch ? [createLinks(found)] : [...byCategory(found)].map(createCategory)));
    count.textContent = found.length ? `${found.length} ${found.length === 1 ? 'endpoint' : 'endpoints'}` : 'Nothing found. Try fewer or other words.';
    if (!endpoints.length) count.textContent = '';
    mark();
  }

  /** @param {[string, Endpoint[]]} group */
  function createCategory([category, members]) {
    const id = `category-${category}`;
    return element('section', { 'aria-labelledby': id }, element('h3', { id }, categoryTitle(category)), createLinks(members));
  }

  function links() {
    return /** @type {HTMLAnchorElement[]} */ ([...groups.querySelectorAll('a')]);
  }

  /** Marks the open endpoint, and makes it (or else the first endpoint) the tab stop. */
  function mark() {
    const all = links();
    const open = all.find((link) => link.dataset.name === current);
    for (const link of all) {
      link.tabIndex = link === (open ?? all[0]) ? 0 : -1;
      if (link === open) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    open?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {KeyboardEvent} event in the search field */
  function enter(event) {
    if (isComposing(event)) return; // the key belongs to the input method
    if (event.key === 'ArrowDown') focusAt(0, event);
    if (event.key === 'Enter' && field.value.trim()) links()[0]?.click();
  }

  /** @param {KeyboardEvent} event */
  function move(event) {
    const all = links();
    const at = all.indexOf(/** @type {any} */ (document.activeElement));
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === -1) field.focus();
    else if (next !== undefined && at >= 0) focusAt(Math.min(next, all.length - 1), event);
  }

  /** @param {number} at @param {Event} event */
  function focusAt(at, event) {
    event.preventDefault();
    links()[at]?.focus();
  }

  return {
    node,
    focus: () => field.focus(),
    /** @param {Endpoint[]} all */
    fill(all) {
      endpoints = all;
      render();
    },
    /** @param {string} name of the open endpoint; '' for none */
    open(name) {
      current = name;
      mark();
    },
  };
}

/** @param {Endpoint[]} endpoints */
function createLinks(endpoints) {
  return element('ul', {}, ...endpoints.map((endpoint) => element('li', {}, createLink(endpoint))));
}

/** @param {Endpoint} endpoint */
function createLink(endpoint) {
  const { name, aliases, summary } = endpoint;
  return element(
    'a',
    { href: hrefOf('explorer', name), class: 'endpoint-link', data: { name } },
    element('span', { class: 'endpoint-name' }, name),
    element(
      'span',
      { class: 'endpoint-summary' },
      element('span', { class: 'endpoint-price' }, priceOf(endpoint)),
      ...withCode(aliases.length ? `Also ${aliases.join(', ')}. ${summary}` : summary),
    ),
  );
}
