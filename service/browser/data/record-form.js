// The form of a record, with a field for each column by its type. Read-only columns are shown as text.

import { element, focusInView, isFocusLost } from '../shared/elements.js';
import { isJson, wordOf } from './collections.js';
import { createValueEditor } from './value-editor.js';
import { isSame, shownText } from './values.js';
import { createJsonText } from '../page/json-text.js';

/**
 * @typedef {import('./collections.js').Column} Column
 * @typedef {Record<string, any>} Data
 * @typedef {Record<string, {text: string, base: any}>} FormDraft by column: the typed text, and the stored value at that time
 * @typedef {ReturnType<typeof createRecordForm>} RecordForm
 */

let forms = 0; // counts the forms, for ids that are unique on the page

/**
 * @param {Column[]} columns @param {Data} data
 * @param {{canEdit: (column: Column) => boolean, onInput: () => void}} options
 */
export function createRecordForm(columns, data, { canEdit, onInput }) {
  const prefix = `form-${(forms += 1)}`;
  const fields = columns.map((column) => {
    const id = `${prefix}-${column.name}`;
    return canEdit(column) ? createField(column, data[column.name], id, onInput) : createFact(column, data[column.name]);
  });
  const editable = fields.filter((field) => 'editor' in field);
  const node = element('div', { class: 'record-fields' }, ...fields.map((field) => field.node));
  /** @type {Element | null} the element that had the focus when the form was sent; the answer may come late */
  let focused = null;

  return {
    node,
    isChanged: () => editable.some(({ editor }) => editor.isChanged()),
    /** @returns {{data: Data, base: Data} | null} the changed values; null if one of them is invalid */
    read() {
      focused = document.activeElement;
      /** @type {Data} */
      const changed = {};
      /** @type {Data} */
      const base = {};
      let isWhole = true;
      for (const { column, editor, show } of editable) {
        show('');
        if (!editor.isChanged()) continue;
        const reading = editor.read();
        if ('problem' in reading) isWhole = false;
        if ('problem' in reading) show(reading.problem);
        else Object.assign(changed, { [column.name]: reading.value });
        base[column.name] = editor.base();
      }
      if (!isWhole) focusFirstWrong();
      return isWhole ? { data: changed, base } : null;
    },
    /** Shows stored values, except in fields that the user has changed. @param {Data} stored @param {boolean} [all] whether to overwrite these fields too */
    write(stored, all = false) {
      for (const field of fields) {
        const value = stored[field.column.name];
        if (!('editor' in field)) field.write(value);
        else if (all || !field.editor.isChanged()) field.editor.write(value);
        if (all && 'editor' in field) field.show('');
      }
    },
    /** Takes the values that others have stored as the new base; the typed text stays. @param {Data} stored @param {string[]} names */
    rebase(stored, names) {
      for (const { column, editor, show } of editable) {
        if (!names.includes(column.name)) continue;
        editor.rebase(stored[column.name]);
        show(conflictText(column, stored[column.name]));
      }
      focusFirstWrong();
    },
    /** Shows the saved values, except in fields that the user has changed since. @param {Data} stored @param {FormDraft} sent */
    saved(stored, sent) {
      for (const { column, editor, show } of editable) {
        const typed = editor.text();
        const isSent = !editor.isChanged() || typed === sent[column.name]?.text;
        if (isSent) editor.write(stored[column.name]);
        else editor.rebase(stored[column.name]);
        show('');
      }
    },
    /** @returns {FormDraft} */
    draft: () => Object.fromEntries(editable.filter(({ editor }) => editor.isChanged()).map(({ column, editor }) => [column.name, { text: editor.text(), base: editor.base() }])),
    /** @param {any} draft which may be of another version of the form */
    restore(draft) {
      for (const { column, editor, show } of editable) {
        const { text, base } = draft?.[column.name] ?? {};
        if (typeof text !== 'string') continue;
        editor.type(text);
        if (editor.isChanged() && !isSame(base ?? null, editor.base() ?? null)) show(conflictText(column, editor.base()));
      }
    },
    /** @param {any} details from the server @returns {string[]} the reasons that belong to no field */
    refuse(details) {
      const known = new Set(editable.map(({ column }) => column.name));
      for (const { column, show } of editable) show([details?.[column.name] ?? []].flat().join(' '));
      focusFirstWrong();
      return Object.entries(details ?? {}).filter(([name]) => !known.has(name)).map(([name, reasons]) => `${name}: ${[reasons].flat().join(' ')}`);
    },
    focus: () => editable[0]?.editor.focus(),
  };

  function focusFirstWrong() {
    const wrong = /** @type {HTMLElement | null} */ (node.querySelector('[aria-invalid]'));
    if (wrong && (document.activeElement === focused || isFocusLost())) focusInView(wrong);
  }
}

/** @param {Column} column @param {any} stored */
function conflictText(column, stored) {
  return `This was changed to “${shownText(column, stored)}” in the meantime. Save again to keep yours.`;
}

/** @param {Column} column @param {any} value @param {string} id @param {() => void} onInput */
function createField(column, value, id, onInput) {
  const problem = element('p', { class: 'problem', id: `${id}-problem` });
  const editor = createValueEditor(column, value, { id, describedBy: `${id}-problem`, onInput });
  const word = element('label', { for: id, class: 'record-label' }, wordOf(column.name), column.required && element('span', { class: 'hint' }, ' required'));
  return {
    column,
    editor,
    node: element('div', { class: `record-field record-${column.type}` }, word, editor.node, problem),
    /** @param {string} text */
    show(text) {
      problem.textContent = text;
      editor.mark(Boolean(text));
    },
  };
}

/** @param {Column} column @param {any} value which can't be changed here */
function createFact(column, value) {
  const place = element('div', { class: 'record-value' });
  const label = element('div', { class: 'record-label' }, wordOf(column.name));
  /** @param {any} next */
  function write(next) {
    const isEmpty = next === undefined || next === null;
    const content = !isEmpty && isJson(column) ? createJsonText(next) : isEmpty ? '–' : column.type === 'string' ? next : shownText(column, next);
    place.replaceChildren(content);
  }
  write(value);
  return { column, write, node: element('div', { class: 'record-field' }, label, place) };
}
