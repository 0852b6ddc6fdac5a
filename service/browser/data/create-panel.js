// The panel with the form for a new record, made from the columns of the collection.

import { element, iconButton, isOff, setOff } from '../shared/elements.js';
import { ApiError, errorText } from '../shared/errors.js';
import { isComposing } from '../shared/typing.js';
import { singularOf, writableColumns } from './collections.js';
import { createRecordForm } from './record-form.js';

/**
 * @typedef {import('./collections.js').Collection} Collection
 * @typedef {import('../shared/live-rows.js').Row} Row
 */

/**
 * @param {{collection: Collection, create: (data: Record<string, any>) => Promise<Row>, draft: import('./new-record.js').NewRecord,
 *   onClose: () => void, onCreated: (row: Row) => void, onUnsaved: (text: string) => void}} parts
 *   `onUnsaved` gets the error of a request that fails after the panel was closed, unless its input was discarded
 */
export function createCreatePanel({ collection, create, draft, onClose, onCreated, onUnsaved }) {
  const columns = writableColumns(collection);
  const form = createRecordForm(columns, {}, { canEdit: () => true, onInput: () => draft.keep(form) });
  draft.restore(form);
  const problem = element('p', { class: 'problem', role: 'alert' });
  const button = element('button', { class: 'primary' }, 'Create');
  const cancel = element('button', { type: 'button', class: 'quiet', on: { click: close } }, 'Cancel');
  const title = `New ${singularOf(collection.name)}`;
  const node = element(
    'section',
    { class: 'record-panel', 'aria-label': title, on: { keydown: closeOnEscape } },
    element('div', { class: 'panel-head' }, element('h3', { class: 'panel-title' }, title), iconButton('cross', 'Close', close)),
    element('form', { class: 'panel-form', novalidate: true, on: { submit } }, problem, form.node, element('div', { class: 'panel-actions' }, button, cancel)),
  );

  let isStopped = false;
  if (draft.running) follow(draft.running);

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const reading = form.read();
    if (!reading || isOff(button)) return;
    const missing = missingIn(reading.data);
    problem.textContent = form.refuse(missing).join(' ');
    if (Object.keys(missing).length) return;
    await follow(draft.run(() => create(withFlags(reading.data))));
  }

  /** @param {Promise<Row>} running the request that creates the record; an earlier instance of this form may have begun it */
  async function follow(running) {
    setOff(button, true);
    try {
      const row = await running;
      if (isStopped) return;
      onCreated(row);
    } catch (error) {
      if (isStopped) tellBeside(error);
      else refuse(error);
    }
    setOff(button, false);
  }

  /** @param {unknown} error */
  function refuse(error) {
    const details = error instanceof ApiError && error.code === 'invalid_request' ? error.details : null;
    problem.textContent = (details ? form.refuse(details) : [errorText(error)]).join(' ');
  }

  /** @param {unknown} error that came after this panel was closed */
  function tellBeside(error) {
    if (!draft.exists()) return; // the user has discarded the input
    onUnsaved(`The ${singularOf(collection.name)} was not created. ${errorText(error)} “${title}” keeps what you have typed.`);
  }

  /** @param {Record<string, any>} data @returns {Record<string, string>} the errors, by column */
  function missingIn(data) {
    const needed = columns.filter(({ name, type, required }) => required && type !== 'boolean' && !(name in data));
    return Object.fromEntries(needed.map(({ name }) => [name, 'This needs a value.']));
  }

  /** Sets false for required boolean columns whose checkbox was not touched. @param {Record<string, any>} data */
  function withFlags(data) {
    const flags = columns.filter(({ type, required }) => type === 'boolean' && required);
    return { ...Object.fromEntries(flags.map(({ name }) => [name, false])), ...data };
  }

  /** Closes the panel and discards the input. */
  function close() {
    draft.clear();
    onClose();
  }

  /** @param {KeyboardEvent} event */
  function closeOnEscape(event) {
    if (event.key !== 'Escape' || isComposing(event) || form.isChanged()) return;
    event.preventDefault();
    close();
  }

  return { node, title: () => title, recordId: null, focus: form.focus, stop: () => void (isStopped = true) };
}
