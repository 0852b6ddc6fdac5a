// The search and the filters above a table. Each filter is a chip that can be removed.

import { element, icon, iconButton } from '../shared/elements.js';
import { TIMES } from './collections.js';
import { createFilterForm } from './filter-form.js';
import { areAlike, conditionOf, operatorsOf, wordsOf } from './filters.js';

/**
 * @typedef {import('./filters.js').Filter} Filter
 * @typedef {import('./collections.js').Column} Column
 */

const PAUSE = 250; // ms between the last key press and the search
const MOST_ALIKE = 3; // filters with the same column and operator: the server's nesting limit allows no more

/**
 * @param {Column[]} columns of the collection @param {(filters: Filter[], search: string) => void} onChange
 */
export function createFilterBar(columns, onChange) {
  const choices = [...columns, ...TIMES].filter((column) => operatorsOf(column).length);
  const search = element('input', { type: 'search', class: 'field data-search', placeholder: 'Search', 'aria-label': 'Search the texts', autocomplete: 'off', on: { input: wait } });
  const chips = element('ul', { class: 'filter-chips', 'aria-label': 'Filters' });
  const opener = element('button', { type: 'button', class: 'quiet', 'aria-expanded': 'false', on: { click: () => setOpen(form.node.hidden) } }, icon('sliders'), 'Filter');
  const form = createFilterForm(choices, { refusal, onAdd, onClose: () => setOpen(false) });
  const node = element('div', { class: 'filter-bar' }, element('div', { class: 'filter-line' }, search, opener, chips), form.node);
  /** @type {Filter[]} */
  let filters = [];
  /** @type {any} */
  let timer = 0;
  opener.hidden = !choices.length;
  search.hidden = !columns.some(({ type }) => type === 'string');

  function wait() {
    clearTimeout(timer);
    timer = setTimeout(apply, PAUSE);
  }

  function apply() {
    clearTimeout(timer);
    onChange(filters, search.value);
  }

  /** @param {boolean} isOpen */
  function setOpen(isOpen) {
    form.node.hidden = !isOpen;
    form.clearProblem();
    opener.setAttribute('aria-expanded', String(isOpen));
    (isOpen ? form : opener).focus();
  }

  /** Why a filter can't be added; '' if it can. @param {Filter} filter */
  function refusal(filter) {
    const found = conditionOf(filter);
    if ('problem' in found) return found.problem;
    const alike = filters.filter((each) => areAlike(each, filter)).length;
    return alike >= MOST_ALIKE ? 'Remove one of its three filters of this kind first.' : '';
  }

  /** @param {Filter} filter */
  function onAdd(filter) {
    filters = [...filters, filter];
    setOpen(false);
    showChips();
    apply();
  }

  function showChips() {
    chips.replaceChildren(
      ...filters.map((filter) => {
        const words = wordsOf(filter);
        return element('li', {}, element('span', {}, words), iconButton('cross', `Remove: ${words}`, () => remove(filter)));
      }),
    );
  }

  /** @param {Filter} filter */
  function remove(filter) {
    filters = filters.filter((each) => each !== filter);
    showChips();
    apply();
    (chips.querySelector('button') ?? opener).focus();
  }

  return {
    node,
    isEmpty: () => !filters.length && !search.value.trim(),
    clear() {
      filters = [];
      search.value = '';
      showChips();
      apply();
      search.focus();
    },
    focus: () => search.focus(),
    stop: () => clearTimeout(timer),
  };
}
