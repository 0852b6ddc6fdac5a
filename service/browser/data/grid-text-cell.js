// A cell of the grid that is edited as text. A click on the focused cell or a key opens a field in the cell.

import { element } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { isComposing, typesText } from '../shared/typing.js';
import { isJson, wordOf } from './collections.js';
import { valueAt } from './order.js';
import { ChangedMeanwhile } from './record-writes.js';
import { createValueEditor } from './value-editor.js';
import { isSame, shownText } from './values.js';

/**
 * @typedef {import('./collections.js').Column} Column
 * @typedef {import('./grid-row.js').GridContext} GridContext
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {ReturnType<typeof createValueEditor>} Editor
 */

/** @param {GridContext} context @param {Column} column @param {() => Row} rowNow @returns {import('./grid-row.js').GridCell} */
export function createTextCell({ change, isShown, onClose, onLost }, column, rowNow) {
  const text = element('span', { class: 'cell-text' });
  const node = element('td', { role: 'gridcell', class: `cell-${isJson(column) ? 'json' : column.type}`, tabindex: '-1' }, text);
  /** @type {Editor | null} */
  let editor = null;
  let mayEdit = false;
  let isSaving = false;
  let sent = ''; // the text that is being saved
  let title = '';
  const note = element('span', { class: 'problem cell-problem', role: 'alert' });

  /** @param {string} [typed] the first letter, which replaces the value */
  function begin(typed) {
    if (!mayEdit) return;
    if (editor) return returnToField(editor, typed);
    editor = createValueEditor(column, valueAt(rowNow(), column.name), { label: `${wordOf(column.name)} of ${title}` });
    if (typed !== undefined && column.type !== 'datetime') editor.type(typed);
    node.classList.add('is-edited');
    note.textContent = '';
    node.append(element('span', { class: 'cell-editor' }, editor.node, note));
    editor.focus({ all: typed === undefined && column.type !== 'string' });
    editor.node.addEventListener('keydown', pressInside);
    editor.node.addEventListener('blur', save);
  }

  /** Returns to the open field. A letter replaces a value that is being saved, but not a refused value. @param {Editor} open @param {string} [typed] */
  function returnToField(open, typed) {
    if (typed !== undefined && isSaving && column.type !== 'datetime') open.type(typed);
    open.focus();
  }

  /** @param {KeyboardEvent} event */
  function pressInside(event) {
    event.stopPropagation(); // the arrow keys move in the text
    if (isComposing(event)) return;
    const isEnd = event.key === 'Enter' && !(event.shiftKey && (column.type === 'string' || isJson(column)));
    if (event.key === 'Escape') giveUp();
    if (event.key === 'Tab') leave(event.shiftKey ? -1 : 1);
    if (isEnd) leave(0);
    if (isEnd || event.key === 'Tab' || event.key === 'Escape') event.preventDefault();
  }

  function giveUp() {
    close();
    onClose(node, 0);
  }

  /** Leaves the field without waiting for the answer, because the next keys belong to the next cell. @param {number} step as for `onClose` */
  function leave(step) {
    const reading = editor?.read();
    if (reading && 'problem' in reading) return refuse(reading.problem);
    onClose(node, step);
    return save(); // does nothing if the loss of the focus has begun the save
  }

  async function save() {
    const current = editor;
    if (!current || isSaving) return;
    if (!current.isChanged()) return void (isLeft() && close());
    const reading = current.read();
    if ('problem' in reading) return refuse(reading.problem);
    [sent, isSaving] = [current.text(), true];
    note.textContent = ''; // removes the error of an earlier try
    current.mark(false);
    const changed = change(rowNow(), { [column.name]: reading.value }, { [column.name]: current.base() });
    const [record, error] = await changed.then((stored) => [stored, null], (reason) => [null, reason]);
    isSaving = false;
    if (editor === current) end(current, error, record && valueAt(record, column.name));
    else if (isLeft()) save(); // the field was closed with Escape, and perhaps opened again
  }

  /** @param {Editor} current @param {any} error if the save was refused @param {any} stored the stored value otherwise, in the form of the server */
  function end(current, error, stored) {
    if (error && !(isInTable() && isShown())) return onLost(current.text(), error);
    if (error) return refuse(error instanceof ChangedMeanwhile ? conflictText(error) : errorText(error));
    if (current.text() === sent && isLeft()) return close();
    current.rebase(stored);
    if (isLeft()) save();
  }

  /** Whether the field has lost the focus within the page. When the window loses the focus, the field stays focused in it. */
  function isLeft() {
    return document.activeElement !== editor?.node;
  }

  function isInTable() {
    return Boolean(node.parentElement?.parentElement);
  }

  /** @param {ChangedMeanwhile} error */
  function conflictText({ row }) {
    const theirs = valueAt(row, column.name);
    editor?.rebase(theirs); // so that the next Enter overwrites this value
    return `This was changed to “${shownText(column, theirs)}” in the meantime. Enter keeps yours, Escape takes theirs.`;
  }

  /** Shows a problem. If the cell still has the focus, the field gets it. @param {string} problem */
  function refuse(problem) {
    note.textContent = problem;
    editor?.mark(true);
    if (document.activeElement === node) editor?.focus();
  }

  function close() {
    const open = editor;
    editor = null; // first, because removing a focused field fires its blur event
    node.classList.remove('is-edited');
    open?.node.parentElement?.remove();
  }

  node.addEventListener('dblclick', () => begin());
  node.addEventListener('pointerdown', () => {
    if (document.activeElement === node) requestAnimationFrame(() => begin()); // a click on the focused cell begins editing
  });
  node.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    if (event.target !== node) return;
    const isHeld = event.ctrlKey || event.metaKey || event.altKey;
    const isBegin = !isHeld && (event.key === 'Enter' || event.key === 'F2');
    if (!isBegin && !typesText(event)) return;
    if (!mayEdit) return;
    const goesOn = editor !== null && !isSaving && !isBegin; // the letter goes into the field, which has the focus by then
    if (!goesOn) event.preventDefault();
    begin(isBegin ? undefined : event.key);
  });

  return {
    node,
    typed: () => (editor?.isChanged() && !(isSaving && editor.text() === sent) ? editor.text() : ''),
    update(mayUpdate, rowTitle) {
      const value = valueAt(rowNow(), column.name);
      title = rowTitle;
      mayEdit = mayUpdate && !column.readOnly;
      node.classList.toggle('read-only', !mayEdit);
      node.setAttribute('aria-readonly', String(!mayEdit));
      text.textContent = shownText(column, value);
      if (column.type === 'datetime') text.title = value ?? '';
      if (editor && !editor.isChanged() && !isSame(value, editor.base())) editor.write(value);
    },
  };
}
