// A tool call in a reply: name and state in one line, input and output when it is opened.

import { element, icon } from '../shared/elements.js';
import { hrefOf } from './route.js';

/** @typedef {import('./chat-reducer.js').CallPart} CallPart */

const STATE_LABELS = {
  preparing: 'Preparing',
  running: 'Running',
  done: 'Done',
  'input-refused': 'Input refused',
  failed: 'Failed',
};
const PREVIEW = 80; // characters

export function createToolCall() {
  const name = element('span', { class: 'call-name' });
  const preview = element('span', { class: 'call-preview' });
  const state = element('span', { class: 'call-state' });
  const body = element('div', { class: 'call-body' });
  const summary = element('summary', {}, icon('chevron'), name, preview, state);
  const details = element('details', { class: 'call' }, summary, body);
  const link = element('a', { class: 'call-link', hidden: true }, 'Open the canvas');
  const node = element('div', { class: 'call-box' }, details, link);
  /** @type {CallPart | null} */
  let current = null;
  details.addEventListener('toggle', () => {
    if (!current || !details.open) return;
    fill(current);
    details.scrollIntoView({ block: 'nearest' }); // the newest call would open below the visible part
  });

  /** @param {CallPart} call */
  function fill(call) {
    body.replaceChildren(...sections(call));
  }

  return {
    node,
    /** @param {CallPart} call */
    update(call) {
      if (call === current) return;
      current = call;
      details.dataset.state = call.state;
      name.textContent = call.name;
      preview.textContent = previewOf(call);
      state.textContent = STATE_LABELS[call.state];
      const canvasId = storedCanvas(call);
      link.hidden = !canvasId;
      if (canvasId) link.setAttribute('href', hrefOf('canvas', canvasId));
      if (details.open) fill(call);
    },
  };
}

/** @param {CallPart} call @returns {string | null} the canvas that it has made or changed */
function storedCanvas({ name, state, input, output }) {
  const isWrite = name === 'records.create' || name === 'records.update';
  const recordId = isWrite && state === 'done' && input?.collection === 'canvases' && output?.recordId;
  return typeof recordId === 'string' ? recordId : null;
}

/** @param {CallPart} call */
function previewOf({ input, inputText, message }) {
  if (message) return message;
  const text = input === undefined ? inputText : compact(input);
  return text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text;
}

/** @param {any} input arguments without braces, for a short preview */
function compact(input) {
  if (!input || typeof input !== 'object' || Array.isArray(input)) return JSON.stringify(input ?? '');
  const pairs = Object.entries(input);
  return pairs.map(([k, v]) => `${k}: ${typeof v === 'string' ? v : JSON.stringify(v)}`).join(', ');
}

/** @param {CallPart} call */
function sections(call) {
  const input = call.input === undefined ? call.inputText : pretty(call.input);
  return [
    section('Input', input),
    ...(call.message ? [section('Error', call.message)] : []),
    ...(call.state === 'done' ? [section('Output', pretty(call.output))] : []),
  ];
}

/** @param {string} title @param {string} text */
function section(title, text) {
  const box = { tabindex: '0', role: 'group', 'aria-label': title };
  const head = element('p', { class: 'call-title' }, title);
  return element('div', { class: 'call-section' }, head, element('pre', box, text || '–'));
}

/** @param {any} value */
function pretty(value) {
  return JSON.stringify(value, null, 2) ?? '';
}
