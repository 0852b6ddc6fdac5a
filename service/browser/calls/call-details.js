// The input and the answers of a group of calls: as a list or a table for people, and as JSON.

import { copyOrSelect } from '../shared/copying.js';
import { element } from '../shared/elements.js';
import { createResult } from './call-result.js';
import { outcomeOf } from './call-states.js';
import { titleOf } from './record-words.js';
import { quote } from './value-words.js';

/**
 * @typedef {import('./call-groups.js').CallGroup} CallGroup
 * @typedef {import('./call-groups.js').CallPart} CallPart
 * @typedef {import('./call-card.js').CardContext} CardContext
 */

/** @param {CallGroup} group @param {CardContext} context @returns {HTMLElement[]} */
export function createCallDetails({ calls, known }, context) {
  const result = createResult(calls.filter((call) => outcomeOf(call) === 'done'));
  if (!result && calls.length === 1) return [createRaw(calls[0], context)];
  const raw = calls.map((call, at) => {
    const title = titleOf(call, known);
    const name = calls.length === 1 ? 'Details' : `Details of ${title ? quote(title) : `call ${at + 1}`}`;
    return createFolded(name, () => createRaw(call, context));
  });
  return result ? [result, ...raw] : raw;
}

/** A collapsed section whose content is built when it is opened, because the JSON can be long. @param {string} name @param {() => HTMLElement} create */
function createFolded(name, create) {
  const details = element('details', { class: 'call-raw' }, element('summary', {}, name));
  details.addEventListener('toggle', () => details.open && details.children.length === 1 && details.append(create()));
  return details;
}

/** @param {CallPart} call @param {CardContext} context */
function createRaw(call, context) {
  const input = call.input === undefined ? call.inputText : pretty(call.input);
  return element(
    'div',
    { class: 'call-sections' },
    element('p', { class: 'hint' }, 'Tool ', element('code', {}, call.name)),
    section('Input', input, context),
    call.message && section('Error', call.message, context),
    call.state === 'done' && section('Output', pretty(call.output), context),
  );
}

/** @param {string} title @param {string} text @param {CardContext} context */
function section(title, text, { announce = () => {} }) {
  const pre = element('pre', { tabindex: '0', role: 'group', 'aria-label': title }, text || '–');
  const button = element('button', { type: 'button', class: 'quiet', 'aria-label': `Copy ${title.toLowerCase()}`, on: { click: copy } }, 'Copy');

  async function copy() {
    button.textContent = (await copyOrSelect(text, pre)) ? 'Copied' : 'Selected';
    announce(`${title} ${button.textContent?.toLowerCase()}`);
  }

  const head = element('div', { class: 'call-head' }, element('p', { class: 'call-title' }, title), button);
  return element('div', { class: 'call-section' }, head, pre);
}

/** @param {any} value */
function pretty(value) {
  return JSON.stringify(value, null, 2) ?? '';
}
