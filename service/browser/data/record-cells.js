// Cells that are edited in place. Enter saves, Escape restores, leaving a cell saves.

import { element } from '../shared/elements.js';
import { moment, toLocalInput } from '../shared/when.js';
import { shownText, typedText } from './values.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {import('./collections.js').Column} SchemaColumn
 * @typedef {SchemaColumn & {label: string, kind: 'text' | 'flag' | 'moment' | 'fixed', isTitle: boolean}} Column
 * @typedef {(column: Column, value: any) => Promise<boolean>} Save of a text as typed, or of a box; resolves to whether it was saved
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
  if (column.kind === 'moment') return momentCell(column, save);
  return textCell(column, save, warn);
}

/** What can't be written. @param {Column} column @returns {Cell} */
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
  let stored = ''; // what the server has
  let base = ''; // what it had when the editing began
  const dirty = () => field.value !== base;
  /** @type {Promise<unknown>} the last save: a second one at the same time would take its change for another's */
  let last = Promise.resolve();
  let isDue = false; // another save; not when the user is back in the field by then

  function commit() {
    isDue = true;
    last = last.then(store);
  }

  async function store() {
    if (!isDue || !dirty()) return;
    isDue = false;
    if (stored !== base && stored !== field.value) {
      base = stored;
      warn(`This was changed to “${stored}” in the meantime. Press Enter to keep yours, Escape to use theirs.`);
      return;
    }
    const typed = field.value;
    const saved = await save(column, typed);
    field.toggleAttribute('aria-invalid', !saved);
    if (saved) base = typed;
    else if (field.value === typed) isDue = false; // it would be refused again
  }

  function revert() {
    field.value = base = stored;
    field.removeAttribute('aria-invalid');
  }

  field.addEventListener('blur', commit);
  field.addEventListener('focus', () => (isDue = false));
  field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.isComposing) return; // the key is for the input method
    if (event.key === 'Escape') {
      if (dirty()) event.preventDefault(); // Escape closes one thing at a time: not the drawer as well
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
      const value = typedText(column, row.data[column.name]).replace(/\r\n?/g, '\n'); // as the field keeps it
      const changed = value !== stored;
      stored = value;
      field.setAttribute('aria-label', `${column.label} of ${rowTitle}`);
      if (changed && !dirty()) field.value = base = stored; // never overwrites unsaved text
      return changed;
    },
    abandon() {
      const typed = dirty() ? field.value : '';
      revert();
      return typed;
    },
  };
}

/** @param {Column} column @param {Save} save @returns {Cell} */
function flagCell(column, save) {
  const box = element('input', { type: 'checkbox' });
  let stored = false;
  let saving = 0; // changes, one after the other: meanwhile it shows what the user has chosen
  /** @type {Promise<unknown>} the last one */
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
 * @param {Column} column @param {Save} save @returns {Cell}
 */
function momentCell(column, save) {
  const words = element('button', { type: 'button', class: 'cell moment' });
  const field = element('input', { type: 'datetime-local', class: 'cell', hidden: true });
  const node = element('span', { class: 'moment-box' }, words, field);
  let stored = '';
  let begun = ''; // what the field showed when the editing began
  let opened = 0; // how often that was
  /** @type {Promise<unknown>} the last save */
  let last = Promise.resolve();
  let isLeft = false; // by Enter, or for something else; not when the user is back in the field

  function commit() {
    isLeft = true;
    last = last.then(store);
  }

  words.addEventListener('click', () => {
    field.value = stored ? toLocalInput(stored) : '';
    begun = field.value;
    opened += 1;
    setEditing(true);
  });
  field.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Enter' && field.reportValidity()) commit();
    if (event.key !== 'Escape') return;
    event.preventDefault(); // it does not close the drawer as well
    setEditing(false);
  });
  field.addEventListener('blur', commit);
  field.addEventListener('focus', () => (isLeft = false));

  async function store() {
    if (!isLeft || field.hidden) return;
    if (field.validity.badInput) return setEditing(false); // an incomplete date is discarded
    const [typed, own] = [field.value, opened];
    const saved = typed === begun || (await save(column, typed));
    if (!saved && field.value === typed) isLeft = false; // it would be refused again
    if (!saved) return;
    if (own !== opened) return; // it was opened again, and shows what was stored then
    begun = typed;
    if (isLeft && field.value === typed) setEditing(false);
  }

  /** @param {boolean} editing */
  function setEditing(editing) {
    const hadFocus = document.activeElement === field; // an answer takes the focus from nothing else
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
