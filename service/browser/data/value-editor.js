// The control in which one value is edited: a line, a text, a number, a date and time, yes or no, JSON.

import { element } from '../shared/elements.js';
import { doubtfulNumber } from '../shared/exact-numbers.js';
import { isJson, wordOf } from './collections.js';
import { TOO_LARGE, isSame, readText, typedText } from './values.js';

/**
 * @typedef {import('./collections.js').Column} Column
 * @typedef {ReturnType<typeof createValueEditor>} ValueEditor
 */

/**
 * @param {Column} column @param {any} value
 * @param {{label?: string, id?: string, describedBy?: string, onInput?: () => void}} [options]
 */
export function createValueEditor(column, value, { label, id, describedBy, onInput = () => {} } = {}) {
  const props = { id, 'aria-label': label, 'aria-describedby': describedBy, 'aria-required': column.required && 'true', on: { input: onInput } };
  const node = createControl(column, props);
  const isFlag = column.type === 'boolean';
  let begun = '';
  write(value);

  /** @param {any} next what is stored */
  function write(next) {
    value = next;
    if (isFlag) node.checked = next === true;
    else node.value = typedText(column, next);
    begun = node.value; // as the control keeps it: it changes line ends, and has no year 10 000
  }

  /** @returns {import('./values.js').Reading} */
  function read() {
    if (isFlag) return { value: node.checked };
    if (node.validity.badInput) return { problem: 'Choose a whole date and time, or empty it.' };
    // A time that was not touched keeps its seconds.
    if (node.value === begun) return { value: value ?? null };
    const reading = readText(column, node.value);
    return 'value' in reading ? withoutDoubt(reading) : reading;
  }

  /** A number of JSON from 10^21 on stands here as the browser has read it, with an exponent. @param {{value: any}} reading */
  function withoutDoubt(reading) {
    const doubtful = isJson(column) && doubtfulNumber(value) !== undefined ? doubtfulNumber(reading.value) : undefined;
    return doubtful === undefined ? reading : { problem: `${doubtful} is ${TOO_LARGE}.` };
  }

  const text = () => (isFlag ? String(node.checked) : node.value);

  /** @param {string} typed */
  function type(typed) {
    if (isFlag) node.checked = typed === 'true';
    else node.value = typed;
  }

  return {
    node,
    read,
    write,
    /** What is typed stays, and where; from now on it changes this. @param {any} next what is stored */
    rebase(next) {
      const [typed, { selectionStart, selectionEnd }] = [text(), node];
      write(next);
      type(typed);
      const isTypedIn = document.activeElement === node && typeof selectionStart === 'number';
      if (isTypedIn) node.setSelectionRange(selectionStart, selectionEnd);
    },
    /** What the user saw before. */
    base: () => value,
    text,
    type,
    isChanged() {
      if (isFlag) return node.checked !== (value === true);
      if (node.validity.badInput || node.value === begun) return node.validity.badInput;
      const reading = read();
      return 'problem' in reading || !isSame(reading.value, value);
    },
    focus({ all = false } = {}) {
      node.focus();
      if (all && node.select) node.select();
    },
    /** @param {boolean} isWrong */
    mark(isWrong) {
      if (isWrong) node.setAttribute('aria-invalid', 'true');
      else node.removeAttribute('aria-invalid');
    },
  };
}

/** @param {Column} column @param {Record<string, any>} props @returns {any} */
function createControl(column, props) {
  const shared = { ...props, class: 'value-field', autocomplete: 'off' };
  if (column.type === 'boolean') return element('input', { ...props, type: 'checkbox' });
  if (column.type === 'datetime') return element('input', { ...shared, type: 'datetime-local' });
  if (isJson(column)) return element('textarea', { ...shared, class: 'value-field value-code', dir: 'ltr', rows: '4', spellcheck: 'false' });
  if (column.type === 'string') return element('textarea', { ...shared, rows: '1' });
  return element('input', { ...shared, type: 'text', inputmode: column.type === 'integer' ? 'numeric' : 'decimal' });
}

/** @param {Column} column @returns {string} for the label of a control */
export function labelOf(column) {
  return wordOf(column.name);
}
