// The control that edits one value: a line, a text, a number, a date and time, a boolean, or JSON.

import { element, keepFitting } from '../shared/elements.js';
import { findDoubtfulNumber } from '../shared/exact-numbers.js';
import { isJson } from './collections.js';
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
  const fit = node.localName === 'textarea' ? keepFitting(node) : () => {};
  let begun = '';
  write(value);

  /** @param {any} next the stored value */
  function write(next) {
    value = next;
    if (isFlag) node.checked = next === true;
    else node.value = typedText(column, next);
    fit();
    begun = node.value; // as the control returns it: it normalizes line ends, and has no year 10000
  }

  /** @returns {import('./values.js').Reading} */
  function read() {
    if (isFlag) return { value: node.checked };
    if (node.validity.badInput) return { problem: 'Choose a whole date and time, or empty it.' };
    // A time that was not changed keeps its seconds.
    if (node.value === begun) return { value: value ?? null };
    const reading = readText(column, node.value);
    return 'value' in reading ? withoutDoubt(reading) : reading;
  }

  /** Refuses a value with a number that the browser may have changed when it parsed the JSON. @param {{value: any}} reading */
  function withoutDoubt(reading) {
    const doubtful = isJson(column) && findDoubtfulNumber(value) !== undefined ? findDoubtfulNumber(reading.value) : undefined;
    return doubtful === undefined ? reading : { problem: `${doubtful} is ${TOO_LARGE}.` };
  }

  const text = () => (isFlag ? String(node.checked) : node.value);

  /** @param {string} typed */
  function type(typed) {
    if (isFlag) node.checked = typed === 'true';
    else node.value = typed;
    fit();
  }

  return {
    node,
    read,
    write,
    /** Takes a new stored value as the base of the change; the typed text and the cursor stay. @param {any} next the stored value */
    rebase(next) {
      const [typed, { selectionStart, selectionEnd }] = [text(), node];
      write(next);
      type(typed);
      const isTypedIn = document.activeElement === node && typeof selectionStart === 'number';
      if (isTypedIn) node.setSelectionRange(selectionStart, selectionEnd);
    },
    /** The stored value that the user saw before editing. */
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
