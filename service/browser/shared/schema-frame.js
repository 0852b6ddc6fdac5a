// The frame of every form control: its label, its description, and why its value was refused.

import { element } from './elements.js';
import { ownReasons } from './schema-details.js';
import { factsOf } from './schema-words.js';

/**
 * @typedef {import('./schema-fields.js').Field} Field
 * @typedef {import('./schema-values.js').State} State
 * @typedef {import('./schema-details.js').Details} Details
 *
 * @typedef {object} Control one field of a form with everything inside it
 * @property {HTMLElement} node
 * @property {() => State} read
 * @property {(state: State) => void} write
 * @property {(details: Details) => string[]} show marks what was refused, and returns lines with
 *   the reasons that no control can show; with undefined it removes all marks
 *
 * @typedef {object} Place of a control
 * @property {string} label
 * @property {() => void} onChange
 * @property {(field: Field, place: Place) => Control | null} [controlOf] makes the control of a field; null leaves it to the form
 * @property {(name: string) => {field: Field, control: Control} | undefined} [neighbour] another field of the same object
 */

let count = 0;

/** A new id for a control. */
export function newControlId() {
  count += 1;
  return `control-${count}`;
}

/** Turns text with `code` in backticks into nodes. @param {string} text @returns {(Node | string)[]} */
export function withCode(text) {
  return text.split('`').map((part, at) => (at % 2 ? element('code', {}, part) : part));
}

/**
 * @param {Field} field @param {string} label @param {string} id of the control
 * @returns {{node: HTMLElement, problem: HTMLElement, describedBy: string}}
 */
export function createFrame(field, label, id) {
  const facts = factsOf(field);
  const problem = element('p', { class: 'field-problem', id: `${id}-problem` });
  const head = element(
    'div',
    { class: 'field-head' },
    element('label', { for: id }, label),
    field.required && element('span', { class: 'field-required' }, 'required'),
    facts && element('span', { class: 'field-facts', id: `${id}-facts` }, facts),
  );
  const about = field.about && element('p', { class: 'field-about', id: `${id}-about` }, ...withCode(field.about));
  const node = element('div', { class: 'form-field' }, head, about, problem);
  return { node, problem, describedBy: `${id}-problem ${id}-facts ${id}-about` };
}

/**
 * A frame of several controls.
 * @param {Field} field @param {string} label @param {HTMLElement} content
 */
export function createFieldset(field, label, content) {
  const id = newControlId();
  const facts = factsOf(field);
  const problem = element('p', { class: 'field-problem', id: `${id}-problem` });
  const node = element(
    'fieldset',
    { class: 'form-field field-set', 'aria-describedby': `${id}-problem ${id}-about` },
    element(
      'legend',
      {},
      label,
      field.required && element('span', { class: 'field-required' }, 'required'),
      facts && element('span', { class: 'field-facts' }, facts),
    ),
    field.about && element('p', { class: 'field-about', id: `${id}-about` }, ...withCode(field.about)),
    problem,
    content,
  );
  return { node, problem };
}

/**
 * Shows the reasons at a field, and reports them to screen readers.
 * @param {HTMLElement} problem @param {HTMLElement | null} input @param {Details} details
 */
export function mark(problem, input, details) {
  const text = ownReasons(details);
  problem.textContent = text;
  if (text) input?.setAttribute('aria-invalid', 'true');
  else input?.removeAttribute('aria-invalid');
}
