// The form controls for one value: a line, a text, a choice, JSON.

import { element } from './elements.js';
import { innerReasons, linesOf } from './schema-details.js';
import { createFrame, mark, newControlId } from './schema-frame.js';
import { UNFINISHED } from './schema-values.js';
import { emptyChoice, isLong, optionWord } from './schema-words.js';

/**
 * @typedef {import('./schema-fields.js').Field} Field
 * @typedef {import('./schema-frame.js').Control} Control
 * @typedef {import('./schema-frame.js').Place} Place
 */

const INPUT_TYPES = new Map([['date', 'date'], ['uri', 'url'], ['email', 'email']]);

/** @param {Field} field @param {Place} place @returns {Control & {line: HTMLElement}} with the line of the input itself */
export function createInput(field, { label, onChange }) {
  const id = newControlId();
  const { node, problem, describedBy } = createFrame(field, label, id);
  const input = buildInput(field, {
    id,
    class: 'field-input',
    'aria-describedby': describedBy,
    'aria-required': field.required && 'true',
    on: { input: onChange },
  });
  const absence = field.nullable ? createNullCheckbox(label, input, onChange) : null;
  const line = element('div', { class: 'field-line' }, input, absence?.node);
  problem.before(line);
  return {
    node,
    line,
    read: () => (absence?.isChosen() ? null : input.validity.badInput ? UNFINISHED : input.value),
    write(state) {
      absence?.choose(state === null);
      input.value = state ?? '';
    },
    show(details) {
      mark(problem, input, details);
      return linesOf(innerReasons(details), label);
    },
  };
}

/** @param {Field} field @param {Record<string, any>} props @returns {any} */
function buildInput(field, props) {
  const { kind, schema } = field;
  if (kind === 'choice') return createChoice(field, field.options, props);
  if (kind === 'boolean') return createChoice(field, [true, false], props);
  if (kind === 'json') return element('textarea', { ...props, rows: '4', class: 'field-input field-code', dir: 'ltr', spellcheck: 'false' });
  if (isLong(field)) return element('textarea', { ...props, rows: field.required ? '3' : '1' });
  const mode = kind === 'number' && { inputmode: 'decimal' };
  const type = (kind === 'text' && INPUT_TYPES.get(schema.format)) || 'text';
  return element('input', { ...props, type, ...mode, autocomplete: 'off' });
}

/** The values are JSON, so that true and "true" differ. @param {Field} field @param {any[]} options @param {Record<string, any>} props */
function createChoice(field, options, props) {
  const choices = options.map((value) => element('option', { value: JSON.stringify(value) }, optionWord(value)));
  return element('select', props, element('option', { value: '' }, emptyChoice(field)), ...choices);
}

/**
 * A checkbox that chooses null, which is not the same as leaving the value out.
 * @param {string} label @param {any} input disabled while null is chosen @param {() => void} onChange
 */
function createNullCheckbox(label, input, onChange) {
  const box = element('input', { type: 'checkbox', 'aria-label': `${label}: null`, on: { change } });
  function change() {
    input.disabled = box.checked;
    onChange();
  }
  return {
    node: element('label', { class: 'field-null' }, box, 'null'),
    isChosen: () => box.checked,
    /** @param {boolean} chosen */
    choose(chosen) {
      box.checked = input.disabled = chosen;
    },
  };
}
