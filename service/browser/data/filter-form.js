// The form for a new filter: a column, a condition, and a value if the condition needs one.

import { element } from '../shared/elements.js';
import { isComposing } from '../shared/typing.js';
import { wordOf } from './collections.js';
import { operatorsOf } from './filters.js';
import { createValueEditor } from './value-editor.js';

/**
 * @typedef {import('./filters.js').Filter} Filter
 * @typedef {import('./collections.js').Column} Column
 */

/**
 * @param {Column[]} choices the columns that can have a filter
 * @param {{refusal: (filter: Filter) => string, onAdd: (filter: Filter) => void, onClose: () => void}} options
 *   `refusal` says why a filter can't be added; '' if it can
 */
export function createFilterForm(choices, { refusal, onAdd, onClose }) {
  const column = element('select', { class: 'field', 'aria-label': 'Column', on: { change: showOperators } }, ...choices.map(({ name }) => element('option', { value: name }, wordOf(name))));
  const operator = element('select', { class: 'field', 'aria-label': 'Condition', on: { change: showValue } });
  const place = element('span', { class: 'filter-value' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const add = element('button', { class: 'primary' }, 'Add filter');
  const node = element('form', { class: 'filter-form', hidden: true, on: { submit, keydown: closeOnEscape } }, column, operator, place, add, problem);
  /** @type {import('./value-editor.js').ValueEditor | null} */
  let editor = null;
  if (choices.length) showOperators();

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
    editor = found?.needsText ? createEditor(operator.value === 'in') : null;
    place.replaceChildren(...(editor ? [editor.node] : []));
    problem.textContent = '';
  }

  /** @param {boolean} isList a list is typed as text, whatever the type of the column */
  function createEditor(isList) {
    const typed = isList ? { ...chosen(), type: /** @type {const} */ ('string') } : chosen();
    const made = createValueEditor({ ...typed, required: false }, undefined, { label: 'Value' });
    if (isList) made.node.placeholder = 'one, two, three';
    made.node.classList.add('field');
    made.node.addEventListener('keydown', submitOnEnter);
    return made;
  }

  /** @param {KeyboardEvent} event */
  function submitOnEnter(event) {
    if (event.key !== 'Enter' || isComposing(event)) return;
    event.preventDefault();
    node.requestSubmit();
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const filter = { column: chosen(), operator: operator.value, text: editor?.text() ?? '' };
    const wrong = refusal(filter);
    problem.textContent = wrong;
    if (wrong) return void editor?.focus();
    onAdd(filter);
    showValue();
  }

  /** @param {KeyboardEvent} event */
  function closeOnEscape(event) {
    if (event.key !== 'Escape' || isComposing(event)) return;
    event.stopPropagation();
    onClose();
  }

  return {
    node,
    focus: () => column.focus(),
    clearProblem: () => void (problem.textContent = ''),
  };
}
