// The search and the filters above a table. Each filter is a chip that can be removed.

import { element, icon, iconButton } from '../shared/elements.js';
import { isComposing } from '../shared/typing.js';
import { TIMES, wordOf } from './collections.js';
import { areAlike, conditionOf, operatorsOf, wordsOf } from './filters.js';
import { createValueEditor } from './value-editor.js';

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
  const opener = element('button', { type: 'button', class: 'quiet', 'aria-expanded': 'false', on: { click: () => setOpen(form.hidden) } }, icon('sliders'), 'Filter');
  const column = element('select', { class: 'field', 'aria-label': 'Column', on: { change: showOperators } }, ...choices.map(({ name }) => element('option', { value: name }, wordOf(name))));
  const operator = element('select', { class: 'field', 'aria-label': 'Condition', on: { change: showValue } });
  const place = element('span', { class: 'filter-value' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const add = element('button', { class: 'primary' }, 'Add filter');
  const form = element('form', { class: 'filter-form', hidden: true, on: { submit, keydown: closeOnEscape } }, column, operator, place, add, problem);
  const node = element('div', { class: 'filter-bar' }, element('div', { class: 'filter-line' }, search, opener, chips), form);
  /** @type {Filter[]} */
  let filters = [];
  /** @type {import('./value-editor.js').ValueEditor | null} */
  let editor = null;
  /** @type {any} */
  let timer = 0;
  opener.hidden = !choices.length;
  search.hidden = !columns.some(({ type }) => type === 'string');
  if (choices.length) showOperators();

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
    form.hidden = !isOpen;
    problem.textContent = '';
    opener.setAttribute('aria-expanded', String(isOpen));
    (isOpen ? column : opener).focus();
  }

  /** @returns {Column} */
  function chosen() {
    return /** @type {Column} */ (choices.find(({ name }) => name === column.value));
  }

  function showOperators() {
    const options = operatorsOf(chosen()).map(({ name, word }) => element('option', { value: name }, word));
    operator.replaceChildren(...options);
    showValue();
  }

  function showValue() {
    const found = operatorsOf(chosen()).find(({ name }) => name === operator.value);
    // A list is typed as text, whatever the type of the column.
    const typed = operator.value === 'in' ? { ...chosen(), type: /** @type {const} */ ('string') } : chosen();
    editor = found?.needsText ? createValueEditor({ ...typed, required: false }, undefined, { label: 'Value' }) : null;
    if (editor && operator.value === 'in') editor.node.placeholder = 'one, two, three';
    editor?.node.classList.add('field');
    editor?.node.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Enter' || isComposing(event)) return;
      event.preventDefault();
      form.requestSubmit();
    });
    place.replaceChildren(...(editor ? [editor.node] : []));
    problem.textContent = '';
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const filter = { column: chosen(), operator: operator.value, text: editor?.text() ?? '' };
    const found = conditionOf(filter);
    const alike = filters.filter((each) => areAlike(each, filter)).length;
    const wrong = 'problem' in found ? found.problem : alike >= MOST_ALIKE ? 'Remove one of its three filters of this kind first.' : '';
    if (wrong) {
      problem.textContent = wrong;
      return void editor?.focus();
    }
    filters = [...filters, filter];
    setOpen(false);
    showValue();
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

  /** @param {KeyboardEvent} event */
  function closeOnEscape(event) {
    if (event.key !== 'Escape' || isComposing(event)) return;
    event.stopPropagation();
    setOpen(false);
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
