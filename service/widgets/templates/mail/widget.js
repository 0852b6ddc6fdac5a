// @ts-check
// A message, which inputs fill in and only the user sends. What the user has typed is not replaced.

import { button, createWidget, element, eventOf, isFilledIn, labelled, personOf, textOf } from '../../../browser/widgets/widget-ui.js';
import { invitation } from './invitation.js';

const { client, panel } = createWidget('Mail');
const to = element('input', { class: 'field', type: 'email', multiple: true, required: true, maxlength: 5000 });
const subject = element('input', { class: 'field', maxlength: 998 });
const content = element('textarea', { class: 'field', 'aria-label': 'Message', placeholder: 'Message', required: true, rows: 3 });
const sendButton = button('Send', send, { class: 'primary' });
const fields = element(
  'div',
  { class: 'mail' },
  labelled('To', to),
  labelled('Subject', subject),
  content,
  element('div', { class: 'actions' }, sendButton),
);
/** What an input has put into a field: it may be replaced by the next one. @type {Map<any, string>} */
const filled = new Map();
panel.show(fields);

client.onInput('person', (value) => fill(to, personOf(value)?.email));
client.onInput('text', (value) => fill(content, textOf(value)));
client.onInput('event', (value) => {
  const event = eventOf(value);
  if (!event) return;
  const letter = invitation(event);
  fill(subject, letter.subject);
  fill(content, letter.content);
  if (event.attendees.length) fill(to, event.attendees.join(', '));
});

/** @param {any} field @param {string | undefined} text */
function fill(field, text) {
  if (!text) return;
  const isTyped = field.value && field.value !== filled.get(field);
  if (isTyped) return void panel.say('What you have typed is kept.');
  field.value = text;
  filled.set(field, text);
  panel.say('Filled in. Check it, then send it.');
}

function send() {
  if (!isFilledIn(fields)) return;
  const body = { to: to.value.trim(), subject: subject.value.trim(), content: content.value };
  const sent = [to, subject, content].map((field) => [field, field.value]);
  panel.runOnce(sendButton, (options) => client.post('cloudsuite/mail-send', body, options), ({ id }) => {
    client.setOutput('sent', { id, to: body.to, subject: body.subject });
    for (const [field, text] of sent) clear(field, text);
    panel.say(`Sent to ${body.to}.`);
  });
}

/** What was typed while the message was being sent stays. @param {any} field @param {string} sent */
function clear(field, sent) {
  if (field.value !== sent) return;
  field.value = '';
  filled.delete(field);
}
