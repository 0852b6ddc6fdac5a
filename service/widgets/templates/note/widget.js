// @ts-check
// A text, which the canvas keeps. What arrives is shown at once where nothing of the user's is
// lost by it, and is offered otherwise.

import { button, createWidget, element, textOf } from '../../../browser/widgets/widget-ui.js';

const PAUSE = 400; // ms after the last key until the text is sent

const { client, panel } = createWidget('Note');
const area = element('textarea', { class: 'note', 'aria-label': 'Note', placeholder: 'Write a note', on: { input: changed } });
const offer = element('div', { class: 'offer', hidden: true });
const version = element('div', { class: 'offer', hidden: true }); // the text that another page has stored
let isLoaded = false; // whether the stored text has come: until then it must not be replaced
let isTouched = false; // whether somebody has written in this page since it took the stored text
let taken = ''; // what the last input brought, while it is in the note
/** @type {any} */
let timer = 0;
panel.controls.append(offer, version);
panel.show(area);
begin().catch(panel.showProblem);

async function begin() {
  const kept = await client.state.get();
  isLoaded = true;
  taken = kept?.taken ?? '';
  if (typeof kept?.text === 'string') putBefore(kept.text);
  if (isTouched) keep();
  if (area.value) client.setOutput('text', { value: area.value });
  client.state.onChange(follow);
  client.onInput('fill', (value) => receive(textOf(value).trim()));
}

/** The stored text, before what was typed until it came. @param {string} text */
function putBefore(text) {
  const typed = area.value;
  area.value = [text, typed].filter(Boolean).join('\n');
  if (typed) area.setSelectionRange(area.value.length, area.value.length);
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

/** Another page has stored a text: nothing that was written here is lost by it. @param {any} kept */
function follow(kept) {
  const text = typeof kept?.text === 'string' ? kept.text : '';
  version.hidden = true;
  if (text === area.value) return;
  if (!isTouched || text.startsWith(area.value)) return show(text, kept?.taken);
  version.replaceChildren(
    element('p', {}, text ? `Written elsewhere meanwhile: ${text}` : 'Emptied elsewhere meanwhile.'),
    button('Take it', () => choose(() => show(text, kept?.taken)), { class: 'quiet small' }),
    button('Keep mine', () => choose(keep), { class: 'quiet small' }),
  );
  version.hidden = false;
}

/** @param {() => void} act */
function choose(act) {
  version.hidden = true;
  act();
  area.focus();
}

/** @param {string} text @param {string} [from] what the last input had brought */
function show(text, from = '') {
  const { selectionStart, selectionEnd } = area;
  area.value = text;
  area.setSelectionRange(selectionStart, selectionEnd); // what is typed on stays where it was begun
  [taken, isTouched] = [from, false];
  send();
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
  isTouched = true;
  clearTimeout(timer);
  timer = setTimeout(send, PAUSE);
  keep(); // at once: a page that goes away can't do it any more
}

function send() {
  client.setOutput('text', { value: area.value });
}

function keep() {
  if (isLoaded) client.state.set({ text: area.value, taken }).catch((error) => panel.showProblem(error));
}
