// Cells that are edited in place. Enter saves, Escape restores the stored value, and leaving a cell saves.

import { element, keepFitting } from '../shared/elements.js';
import { moment, toLocalInput } from '../shared/time-format.js';
import { isComposing } from '../shared/typing.js';
import { readText, shownText, typedText } from './values.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {import('./collections.js').Column} SchemaColumn
 * @typedef {SchemaColumn & {label: string, kind: 'text' | 'flag' | 'moment' | 'fixed', isTitle: boolean}} Column
 * @typedef {(column: Column, value: any) => Promise<boolean>} Save saves a text as typed, or the state of a checkbox; resolves to whether it was saved
 * @typedef {{node: HTMLElement, update: (row: Row, rowTitle: string) => boolean, abandon: () => string}} Cell
 *   `update` returns whether the shown value has changed; `abandon` ends the editing and returns the
 *   unsaved text. `rowTitle` names the row for screen readers
 */

/**
 * @param {Column} column @param {Save} save @param {(text: string) => void} warn
 * @returns {Cell}
 */
export function createCell(column, save, warn) {
  if (column.kind === 'fixed') return fixedCell(column);
  if (column.kind === 'flag') return flagCell(column, save);
  if (column.kind === 'moment') return momentCell(column, save, warn);
  return textCell(column, save, warn);
}

/** @param {string} theirs the value that others have stored */
function meanwhile(theirs) {
  return `This was changed to “${theirs}” in the meantime. Press Enter to keep yours, Escape to use theirs.`;
}

/** A cell that can't be edited. @param {Column} column @returns {Cell} */
function fixedCell(column) {
  const node = element('span', { class: 'cell' });
  return {
    node,
    update(row) {
      const text = shownText(column, row.data[column.name]);
      const changed = text !== node.textContent;
      node.textContent = text;
      return changed;
    },
    abandon: () => '',
  };
}

/** @param {Column} column @param {Save} save @param {(text: string) => void} warn @returns {Cell} */
function textCell(column, save, warn) {
  const field = element('textarea', { class: 'cell', rows: '1', placeholder: column.label });
  const fit = keepFitting(field);
  let stored = ''; // the value at the server
  let base = ''; // the stored value when editing began
  const dirty = () => field.value !== base;
  /** @type {Promise<unknown>} the last save: two saves at the same time would take each other for a change made elsewhere */
  let last = Promise.resolve();
  let isDue = false; // whether to save; reset when the user returns to the field before the save

  function commit() {
    isDue = true;
    last = last.then(store);
  }

  async function store() {
    if (!isDue || !dirty()) return;
    isDue = false;
    if (stored !== base && stored !== field.value) {
      base = stored;
      warn(meanwhile(stored));
      return;
    }
    const typed = field.value;
    const saved = await save(column, typed);
    field.toggleAttribute('aria-invalid', !saved);
    if (saved) showSaved(typed);
    else if (field.value === typed) isDue = false; // the same text would be refused again
  }

  /** Shows a saved text as the server writes it, such as 1.5 for “1,50”. A text that was typed since then stays. @param {string} typed */
  function showSaved(typed) {
    const reading = readText(column, typed);
    base = 'value' in reading ? textOf(column, reading.value) : typed;
    if (field.value === typed) field.value = base;
    fit();
  }

  function showStored() {
    field.value = base = stored;
    fit();
  }

  function revert() {
    showStored();
    field.removeAttribute('aria-invalid');
  }

  field.addEventListener('blur', commit);
  field.addEventListener('focus', () => (isDue = false));
  field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (isComposing(event)) return; // the key belongs to the input method
    if (event.key === 'Escape') {
      if (dirty()) event.preventDefault(); // the same press of Escape must not close the drawer too
      revert();
      warn('');
    }
    if (event.key !== 'Enter' || (!column.isTitle && event.shiftKey)) return;
    event.preventDefault();
    commit();
  });
  return {
    node: field,
    update(row, rowTitle) {
      const value = textOf(column, row.data[column.name]);
      const changed = value !== stored;
      stored = value;
      field.setAttribute('aria-label', `${column.label} of ${rowTitle}`);
      if (changed && !dirty()) showStored(); // never overwrites unsaved text
      return changed;
    },
    abandon() {
      const typed = dirty() ? field.value : '';
      revert();
      return typed;
    },
  };
}

/** @param {Column} column @param {any} value @returns {string} the text as the field returns it: the field normalizes line ends */
function textOf(column, value) {
  return typedText(column, value).replace(/\r\n?/g, '\n');
}

/** @param {Column} column @param {Save} save @returns {Cell} */
function flagCell(column, save) {
  const box = element('input', { type: 'checkbox' });
  let stored = false;
  let saving = 0; // how many changes are being saved, one after the other; meanwhile the box shows the user's choice
  /** @type {Promise<unknown>} the last save */
  let last = Promise.resolve();
  box.addEventListener('change', () => {
    saving += 1;
    last = last.then(store);
  });

  async function store() {
    const saved = box.checked === stored || (await save(column, box.checked));
    saving -= 1;
    if (!saved && !saving) box.checked = stored;
  }

  return {
    node: box,
    update(row, rowTitle) {
      const value = row.data[column.name] === true;
      const changed = value !== stored;
      stored = value;
      if (!saving) box.checked = value;
      box.setAttribute('aria-label', `${column.label}: ${rowTitle}`);
      return changed;
    },
    abandon: () => '',
  };
}

/**
 * A date and time shown as text; a click turns it into a field.
 * @param {Column} column @param {Save} save @param {(text: string) => void} warn
 * @returns {Cell}
 */
function momentCell(column, save, warn) {
  const words = element('button', { type: 'button', class: 'cell moment' });
  const field = element('input', { type: 'datetime-local', class: 'cell', hidden: true });
  const node = element('span', { class: 'moment-box' }, words, field);
  let stored = '';
  let base = ''; // the stored value when editing began
  let begun = ''; // the value of the field when editing began
  let opened = 0; // how often editing was begun
  /** @type {Promise<unknown>} the last save */
  let last = Promise.resolve();
  let isLeft = false; // whether the user has left the field or pressed Enter; reset when the user returns

  function commit() {
    isLeft = true;
    last = last.then(store);
  }

  words.addEventListener('click', () => {
    field.value = stored ? toLocalInput(stored) : '';
    begun = field.value;
    base = stored;
    opened += 1;
    setEditing(true);
  });
  field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Enter' && field.reportValidity()) commit();
    if (event.key !== 'Escape') return;
    event.preventDefault(); // the same press of Escape must not close the drawer too
    setEditing(false);
  });
  field.addEventListener('blur', commit);
  field.addEventListener('focus', () => (isLeft = false));

  async function store() {
    if (!isLeft || field.hidden) return;
    if (field.validity.badInput) return setEditing(false); // an incomplete date is discarded
    const [typed, own] = [field.value, opened];
    if (typed !== begun && stored !== base) return warnOfChange();
    const saved = typed === begun || (await save(column, typed));
    if (!saved && field.value === typed) isLeft = false; // the same value would be refused again
    if (!saved) return;
    base = stored; // the save has changed it
    if (own !== opened) return; // the field was opened again since, with the stored value
    begun = typed;
    if (isLeft && field.value === typed) setEditing(false);
  }

  /** Others have stored another time: the next try saves over it. */
  function warnOfChange() {
    [base, isLeft] = [stored, false];
    warn(meanwhile(stored && moment(stored)));
  }

  /** @param {boolean} editing */
  function setEditing(editing) {
    const hadFocus = document.activeElement === field; // a late answer must not take the focus from another element
    field.hidden = !editing;
    words.hidden = editing;
    if (editing) field.focus();
    else if (hadFocus) words.focus();
  }

  return {
    node,
    update(row, rowTitle) {
      const value = row.data[column.name] ?? '';
      const changed = value !== stored;
      stored = value;
      words.textContent = value ? moment(value) : `Add ${column.label.toLowerCase()}`;
      words.classList.toggle('unset', !value);
      words.setAttribute('aria-label', `${column.label} of ${rowTitle}: ${value ? moment(value) : 'none'}`);
      field.setAttribute('aria-label', `${column.label} of ${rowTitle}`);
      return changed;
    },
    abandon() {
      setEditing(false);
      return '';
    },
  };
}
