// A form that grants credits. If the answer is lost, the next try sends the same idempotency key, so that the credits
// are granted only once.

import { createAction } from './action.js';
import { amount } from './words.js';
import { element } from '../shared/elements.js';
import { newId } from '../shared/ids.js';
import { withCredits } from '../shared/number-words.js';

/** @param {import('./admin-view.js').AdminContext} context @param {string} subject */
export function createGrantForm(context, subject) {
  const action = createAction(context);
  const path = `/api/admin/credits/${encodeURIComponent(subject)}`;
  const field = element('input', { type: 'number', class: 'field admin-amount', min: 0.000001, max: 1e9, step: 'any', required: true, 'aria-label': 'Credits' , placeholder: 'Credits' });
  const note = element('input', { class: 'field admin-note', maxlength: 200, required: true, 'aria-label': 'Note', placeholder: 'Note, which the user sees' });
  const grant = element('button', { class: 'quiet' }, 'Grant');
  const node = element('form', { class: 'admin-line', on: { submit, input: newTry } }, field, note, grant, action.problem);
  let key = newId();

  function newTry() {
    key = newId();
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const body = { credits: field.valueAsNumber, note: note.value.trim() };
    const given = withCredits(amount(body.credits));
    const text = `${subject} gets ${given}, and sees the note “${body.note}”. A grant can’t be undone here.`;
    const question = { title: `Grant ${given}?`, text, action: 'Grant', kind: 'primary' };
    const own = key;
    const headers = { 'Idempotency-Key': own };
    if (!(await action.ask(question, () => context.transport.call('POST', path, { body, headers })))) return;
    if (own !== key) return; // the user has changed the form since: it is not cleared
    node.reset();
    newTry();
  }

  return { node };
}
