// @ts-check
// A note that the canvas stores. A text from an input is shown at once if this replaces nothing that the user has
// written; otherwise it is offered.

import { button, createWidget, element, textOf } from '../../../browser/widgets/widget-ui.js';

const PAUSE = 400; // ms between the last key press and sending the text

const { client, panel } = createWidget('Note');
const area = element('textarea', { class: 'note', 'aria-label': 'Note', placeholder: 'Write a note', on: { input: changed } });
const offer = element('div', { class: 'offer', hidden: true });
const version = element('div', { class: 'offer', hidden: true }); // the text that another page has stored
let isLoaded = false; // whether the stored text was loaded; until then it must not be overwritten
let isTouched = false; // whether the user has changed the text since the stored text was loaded
let taken = ''; // the text of the last input, as long as it is in the note
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

/** Puts the stored text before the text that was typed while it was being loaded. @param {string} text */
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

/** Handles a text that another page has stored. Text that was written here is not lost. @param {any} kept */
function follow(kept) {
  const text = typeof kept?.text === 'string' ? kept.text : '';
  version.hidden = true;
  if (text === area.value) return;
  if (!isTouched || text.startsWith(area.value)) return show(text, kept?.taken);
  version.replaceChildren(
    element('p', {}, text ? `Changed in another tab or by somebody else: ${text}` : 'Emptied in another tab or by somebody else.'),
    button('Use this version', () => choose(() => show(text, kept?.taken)), { class: 'quiet small' }),
    button('Keep my version', () => choose(keep), { class: 'quiet small' }),
  );
  version.hidden = false;
}

/** @param {() => void} act */
function choose(act) {
  version.hidden = true;
  act();
  area.focus();
}

/** @param {string} text @param {string} [from] the text of the last input */
function show(text, from = '') {
  const { selectionStart, selectionEnd } = area;
  area.value = text;
  area.setSelectionRange(selectionStart, selectionEnd); // keeps the cursor where the user is typing
  [taken, isTouched] = [from, false];
  send();
}

/** @param {string} text of the input @param {string} whole the new text of the note */
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
  keep(); // at once, because a page that is being unloaded can't store it any more
}

function send() {
  client.setOutput('text', { value: area.value });
}

function keep() {
  if (isLoaded) client.state.set({ text: area.value, taken }).catch((error) => panel.showProblem(error));
}
