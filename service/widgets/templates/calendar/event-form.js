// @ts-check
// The form of a new event.

import { button, createDraft, element, isFilledIn, labelled, onEnter } from '../../../browser/widgets/widget-ui.js';
import { nextHour } from './days.js';

/** @param {{client: any, panel: import('../../../browser/widgets/widget-panel.js').Panel, save: (event: any) => void, close: () => void}} options */
export function createEventForm({ client, panel, save, close }) {
  const title = element('input', { class: 'field', required: true, maxlength: 1024 });
  const start = element('input', { class: 'field', type: 'datetime-local', required: true });
  const end = element('input', { class: 'field', type: 'datetime-local', required: true });
  const place = element('input', { class: 'field', maxlength: 1024 });
  const guests = element('input', { class: 'field', type: 'email', multiple: true });
  const saveButton = button('Save', submit, { class: 'primary' });
  const node = element(
    'div',
    { class: 'event-fields' },
    labelled('Title', title),
    labelled('Starts', start),
    labelled('Ends', end),
    labelled('Place', place),
    labelled('Guests', guests),
    element('div', { class: 'widget-line' }, saveButton, button('Cancel', close)),
  );

  function submit() {
    const [from, to] = [start, end].map((one) => new Date(one.value)); // compared as dates, because some clock times do not exist when daylight saving time begins
    end.setCustomValidity(to > from ? '' : 'The end must be after the start.');
    if (!isFilledIn(node)) return;
    const attendees = guests.value.split(',').map((/** @type {string} */ one) => one.trim()).filter(Boolean);
    save({ title: title.value.trim(), start: from.toISOString(), end: to.toISOString(), ...(place.value ? { location: place.value } : {}), attendees });
  }

  function fillTimes() {
    if (!start.value && !end.value) [start.value, end.value] = nextHour();
  }

  onEnter(node, submit);
  const draft = createDraft(client, panel, { title, start, end, place, guests });
  return {
    node,
    draft,
    saveButton,
    /** Opens the form; a draft is not changed. @param {string[]} invited */
    open(invited) {
      if (draft.isEmpty()) {
        fillTimes();
        guests.value = invited.join(', ');
      }
      title.focus();
    },
    /** Empties the fields, except those that were changed after sending. @param {Record<string, string>} sent @returns {boolean} whether some fields keep their text */
    forget(sent) {
      const isTimed = start.value !== sent.start || end.value !== sent.end; // if one of the times was changed, both stay
      draft.clear(isTimed ? { ...sent, start: '', end: '' } : sent);
      if (draft.isEmpty()) return false;
      fillTimes();
      return true;
    },
  };
}
