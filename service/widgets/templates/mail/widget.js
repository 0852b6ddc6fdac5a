// @ts-check
// Writes a mail. Inputs fill in the fields, but only the user sends the mail. Text that the user has typed is not
// replaced.

import { button, createDraft, createWidget, element, eventOf, isFilledIn, labelled, personOf, textOf } from '../../../browser/widgets/widget-ui.js';
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
const draft = createDraft(client, panel, { to, subject, content });
panel.show(fields);
draft.ready.then(listen);

function listen() {
  client.onInput('person', (value) => take('person', { to: personOf(value)?.email }));
  client.onInput('text', (value) => take('text', { content: textOf(value) }));
  client.onInput('event', (value) => {
    const event = eventOf(value);
    if (event) take('event', { ...invitation(event), to: event.attendees.join(', ') });
  });
}

/** Fills in the values of an input. They may replace values of an earlier input, but not the user's text. @param {string} input @param {Record<string, string | undefined>} texts by field */
function take(input, texts) {
  if (!draft.isNews(input, texts)) return;
  for (const [name, text] of Object.entries(texts)) if (text) fill(name, text);
}

/** @param {string} name @param {string} text */
function fill(name, text) {
  if (draft.isTyped(name)) return void panel.say('What you have typed is kept.');
  draft.fill(name, text);
  panel.say('Filled in. Check it, then send it.');
}

function send() {
  if (!isFilledIn(fields)) return;
  const body = { to: to.value.trim(), subject: subject.value.trim(), content: content.value };
  const sent = draft.read();
  const post = (/** @type {any} */ options) => draft.sending(options, () => client.post('cloudsuite/mail-send', body, options));
  panel.runOnce(sendButton, post, ({ id }) => {
    client.setOutput('sent', { id, to: body.to, subject: body.subject });
    draft.clear(sent); // fields that were changed meanwhile keep their text
    panel.say(`Sent to ${body.to}.`);
  }, draft.pendingKey);
}
