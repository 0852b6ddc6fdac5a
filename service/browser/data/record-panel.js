// The panel of one record beside the table: all fields, the id and the times. It saves only the changed fields, and
// reports a conflict if others have changed the same fields.

import { element, iconButton, isOff, setOff } from '../shared/elements.js';
import { ApiError, errorText } from '../shared/errors.js';
import { moment } from '../shared/time-format.js';
import { isComposing } from '../shared/typing.js';
import { mayDo, recordColumns, titleOf } from './collections.js';
import { createStoredForm } from './form-drafts.js';
import { createPagedRows } from './paged-rows.js';
import { createRecordForm } from './record-form.js';
import { ChangedMeanwhile } from './record-writes.js';

/**
 * @typedef {import('./collections.js').Collection} Collection
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {ReturnType<typeof createRecordPanel>} RecordPanel
 */

const GONE = 'This record does not exist, or is not yours to read.';
const DELETED = 'This record was deleted in the meantime.';

/**
 * @param {{context: import('../page/view.js').ViewContext, collection: Collection, recordId: string,
 *   onClose: () => void, onSaved: (row: Row) => void, onUnsaved: (text: string) => void, onDelete: (row: Row) => Promise<void>, onTitle: () => void}} parts
 *   `onUnsaved` gets the error of a save that is refused after the panel was closed
 */
export function createRecordPanel({ context, collection, recordId, onClose, onSaved, onUnsaved, onDelete, onTitle }) {
  const rows = createPagedRows(collection.name, context, { where: { recordId }, size: 1 });
  const heading = element('h3', { tabindex: '-1', class: 'panel-title' }, 'Loading…');
  const problem = element('p', { class: 'problem', role: 'alert' });
  const status = element('p', { class: 'hint panel-status', role: 'status' });
  const fields = element('div', {});
  const facts = element('dl', { class: 'record-facts' });
  const save = element('button', { class: 'primary' }, 'Save');
  const undo = element('button', { type: 'button', class: 'quiet', on: { click: revert } }, 'Discard');
  const actions = element('div', { class: 'panel-actions', hidden: true }, save, undo, status);
  const copy = iconButton('link', 'Copy link', copyLink);
  const bin = iconButton('trash', 'Delete record', remove, { hidden: true });
  const head = element('div', { class: 'panel-head' }, heading, copy, bin, iconButton('cross', 'Close record', onClose));
  const node = element(
    'section',
    { class: 'record-panel', 'aria-label': 'Record', on: { keydown: closeOnEscape } },
    head,
    element('form', { class: 'panel-form', novalidate: true, on: { submit } }, problem, fields, actions),
    facts,
  );
  /** @type {Row | undefined} */
  let row;
  /** @type {import('./record-form.js').RecordForm | null} */
  let form = null;
  let isSaving = false; // a second save at the same time would take the first for a change made elsewhere
  let isDeleting = false; // whether this panel deletes the record: the socket can report the deletion before the answer comes
  let unread = ''; // the text on the screen that says why the record can't be read
  let isStopped = false;
  const draft = createStoredForm(context.drafts, collection.name, recordId);
  const stopListening = rows.onChange(show);
  show();

  function show() {
    const next = rows.rows[recordId];
    if (next && next !== row) showRow(next);
    const isGone = !next && rows.loaded && !isDeleting;
    if (isGone) showGone();
    else if (!row && rows.problem) heading.textContent = '…';
    const missing = isGone ? (row ? DELETED : GONE) : '';
    showUnread((rows.offline ? '' : rows.problem) || missing);
  }

  /** Shows why the record can't be read; '' removes only such a text, because the error of a save stays. @param {string} text */
  function showUnread(text) {
    if (text && problem.textContent !== text) problem.textContent = text; // screen readers read out an alert each time it is set
    if (!text && problem.textContent === unread) problem.textContent = '';
    unread = text;
  }

  /** @param {Row} next */
  function showRow(next) {
    row = next;
    const mayUpdate = mayDo(collection, row, context.subject, 'update');
    const canEdit = (/** @type {import('./collections.js').Column} */ column) => mayUpdate && !column.readOnly;
    if (form) form.write(row.data);
    else {
      form = createRecordForm(recordColumns(collection), row.data, { canEdit, onInput });
      fields.replaceChildren(form.node);
      draft.restore(form);
    }
    actions.hidden = !collection.columns.some(canEdit);
    bin.hidden = !mayDo(collection, row, context.subject, 'delete');
    heading.textContent = titleOf(collection, row);
    facts.replaceChildren(...factsOf(row));
    mark();
    onTitle();
  }

  function showGone() {
    heading.textContent = row ? heading.textContent : 'No such record';
    actions.hidden = bin.hidden = true;
  }

  function onInput() {
    mark();
    if (form) draft.keep(form);
  }

  function mark() {
    const isChanged = Boolean(form?.isChanged());
    for (const each of [save, undo]) setOff(each, !isChanged || isSaving);
    if (isChanged) status.textContent = '';
  }

  function revert() {
    if (isOff(undo)) return;
    if (row) form?.write(row.data, true);
    draft.clear();
    problem.textContent = '';
    mark();
    heading.focus();
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (isSaving) return;
    const reading = form?.read();
    if (!row || !form || !reading || !Object.keys(reading.data).length) return;
    problem.textContent = '';
    isSaving = true;
    mark();
    const sent = form.draft();
    try {
      const stored = await rows.change(row, reading.data, reading.base);
      form.saved(stored.data, sent);
      draft.keep(form);
      showRow(stored);
      onSaved(stored);
      status.textContent = 'Saved.';
    } catch (error) {
      refuse(error);
    }
    isSaving = false;
    mark();
  }

  /** @param {unknown} error */
  function refuse(error) {
    if (isStopped) return onUnsaved(`“${title()}” was not saved. ${errorText(error)} The panel of the record keeps your changes.`);
    if (error instanceof ChangedMeanwhile) return form?.rebase(error.row.data, error.columns);
    const details = error instanceof ApiError && error.code === 'invalid_request' ? error.details : null;
    const lines = form && details ? form.refuse(details) : [errorText(error)];
    problem.textContent = lines.join(' ');
    return undefined;
  }

  async function remove() {
    if (!row || isDeleting) return;
    isDeleting = true;
    setOff(bin, true);
    await onDelete(row);
    isDeleting = false;
    setOff(bin, false);
    if (!isStopped) show();
  }

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      status.textContent = 'Link copied.';
      context.announce('Link copied');
    } catch {
      problem.textContent = `The link can’t be copied here: ${location.href}`;
    }
  }

  function title() {
    return row ? titleOf(collection, row) : '';
  }

  /** @param {KeyboardEvent} event */
  function closeOnEscape(event) {
    if (event.key !== 'Escape' || isComposing(event) || form?.isChanged()) return; // Escape never discards unsaved input
    event.preventDefault();
    onClose();
  }

  return {
    node,
    recordId,
    title,
    focus: () => heading.focus(),
    stop() {
      isStopped = true;
      stopListening();
      rows.stop();
    },
  };
}

/** @param {Row} row */
function factsOf(row) {
  const facts = [
    ['Id', element('code', {}, row.recordId)],
    ['Created', element('time', { datetime: row.createdAt, title: row.createdAt }, moment(row.createdAt))],
    ['Changed', element('time', { datetime: row.updatedAt, title: row.updatedAt }, moment(row.updatedAt))],
  ];
  return facts.flatMap(([word, value]) => [element('dt', {}, word), element('dd', {}, value)]);
}
