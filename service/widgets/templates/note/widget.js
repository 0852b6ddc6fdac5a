// @ts-check
// A text, which the canvas keeps. What arrives is shown at once where nothing of the user's is
// lost by it, and is offered otherwise.

import { button, createWidget, element, textOf } from '../../../browser/widgets/widget-ui.js';

const PAUSE = 400; // ms after the last key until the text is sent

const { client, panel } = createWidget('Note');
const area = element('textarea', { class: 'note', 'aria-label': 'Note', placeholder: 'Write a note', on: { input: changed } });
const offer = element('div', { class: 'offer', hidden: true });
let taken = ''; // what the last input brought, while it is in the note
/** @type {any} */
let timer = 0;
panel.controls.append(offer);
panel.show(area);
begin().catch(panel.showProblem);

async function begin() {
  const kept = await client.state.get();
  if (!area.value && typeof kept?.text === 'string') area.value = kept.text;
  taken = kept?.taken ?? '';
  if (area.value) client.setOutput('text', { value: area.value });
  client.onInput('fill', (value) => receive(textOf(value).trim()));
}

/** @param {string} text */
function receive(text) {
  if (!text || text === taken) return;
  if (!area.value.trim() || area.value === taken) return take(text, text);
  offer.replaceChildren(
    element('p', {}, text),
    button('Add', () => take(text, `${area.value.trimEnd()}\n\n${text}`), { class: 'quiet small' }),
    button('Ignore', () => take(text, area.value), { class: 'quiet small' }),
  );
  offer.hidden = false;
  return undefined;
}

/** @param {string} text that came @param {string} whole of the note */
function take(text, whole) {
  const hadFocus = offer.contains(document.activeElement);
  taken = text;
  area.value = whole;
  offer.hidden = true;
  if (hadFocus) area.focus();
  send();
  keep();
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(send, PAUSE);
  keep(); // at once: a page that goes away can't do it any more
}

function send() {
  client.setOutput('text', { value: area.value });
}

function keep() {
  client.state.set({ text: area.value, taken }).catch((error) => panel.showProblem(error));
}
