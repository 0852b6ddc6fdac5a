// The gallery of templates for the widgets of a canvas, with the needs and the price of each template.

import { element, iconButton } from '../shared/elements.js';
import { showModal } from '../shared/modal.js';
import { priceWords } from '../shared/number-words.js';
import { isComposing } from '../shared/typing.js';
import { createTemplateIcon } from '../widgets/canvas-box.js';

/**
 * @typedef {{name: string, title: string, credits: number, approval: 'auto' | 'ask', known: boolean,
 *   configured: boolean}} TemplateEndpoint
 * @typedef {{handle: string, name: string, icon: string, summary: string, version: number,
 *   size: {width: number, height: number}, slots: import('../widgets/slot-types.js').Slot[],
 *   endpoints: TemplateEndpoint[], collections: string[], images: string[], permissions: string[],
 *   settings: import('../widgets/widget-settings.js').SettingsSchema}} Template
 *   in the form of `GET /api/widgets/templates`
 */

/**
 * @param {Template[]} templates
 * @param {(template: Template) => void} onChoose
 */
export function createGallery(templates, onChoose) {
  const search = element('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search the widgets', on: { input: filter, keydown: press } });
  const cards = templates.map((template) => ({ template, node: createCard(template, choose) }));
  const list = element('ul', { class: 'gallery-cards' });
  const none = element('p', { class: 'empty', hidden: true }, 'No widgets found.');
  const dialog = element(
    'dialog',
    { class: 'gallery', 'aria-labelledby': 'gallery-title' },
    element(
      'header',
      { class: 'gallery-head' },
      element('h2', { id: 'gallery-title' }, 'Add a widget'),
      search,
      iconButton('cross', 'Close the gallery', () => dialog.close()),
    ),
    list,
    none,
  );

  /** Shows the templates that have all words, first those that have them in their names. */
  function filter() {
    /** @type {string[]} */
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isIn = (/** @type {string} */ text) => words.every((word) => text.toLowerCase().includes(word));
    for (const { template, node } of cards) node.hidden = !isIn(`${template.name} ${template.summary}`);
    const named = cards.filter(({ template }) => isIn(template.name));
    list.replaceChildren(...new Set([...named, ...cards].map(({ node }) => node)));
    none.hidden = cards.some(({ node }) => !node.hidden);
  }

  /** Enter chooses the first card that a search has found. @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== 'Enter' || isComposing(event) || !search.value.trim()) return;
    event.preventDefault();
    list.querySelector('li:not([hidden]) button')?.click();
  }

  /** @param {Template} template */
  function choose(template) {
    dialog.close();
    onChoose(template);
  }

  return {
    node: dialog,
    open() {
      search.value = '';
      filter();
      showModal(dialog);
      search.focus();
    },
  };
}

/** @param {Template} template @param {(template: Template) => void} choose */
function createCard(template, choose) {
  const missing = template.endpoints.filter(({ configured }) => !configured);
  return element(
    'li',
    {},
    element(
      'button',
      { type: 'button', class: 'gallery-card', on: { click: () => choose(template) } },
      createTemplateIcon(template.icon),
      element('span', { class: 'gallery-name' }, template.name),
      element('span', { class: 'gallery-summary' }, template.summary),
      element('span', { class: 'gallery-cost' }, costOf(template)),
      missing.length > 0 && element('span', { class: 'problem' }, `Not set up here: ${missing.map(({ name }) => name).join(', ')}`),
    ),
  );
}

/** @param {Template} template @returns {string} */
export function costOf({ endpoints }) {
  const asking = endpoints.filter(({ approval }) => approval === 'ask');
  if (!asking.length) return 'Free, no approval needed';
  const most = Math.max(...asking.map(({ credits }) => credits));
  return most > 0 ? `Needs approval, up to ${priceWords(most)} a call` : 'Free, needs approval';
}
