// A group of tool calls in a reply: a sentence, and what they have read or made when it is opened.

import { element, icon } from '../shared/elements.js';
import { loadStyle } from '../page/late-view.js';
import { bodyOf } from './endpoint-sentences.js';
import { recordLink } from './record-words.js';
import { tell } from './tool-words.js';

/**
 * @typedef {import('./call-groups.js').CallGroup} CallGroup
 * @typedef {import('./call-groups.js').CallPart} CallPart
 * @typedef {{endpoints: import('./endpoint-catalog.js').EndpointCatalog,
 *   transport: import('../shared/api-transport.js').Transport, announce?: (sentence: string) => void}} CardContext
 */

const LATE = { styles: ['../integrations/answer.css', '../calls/call-details.css'] };
const loadStyles = () => LATE.styles.map(loadStyle);
const NOT_LOADED = 'This can’t be loaded. Close it and open it again.';

/** @param {CardContext} context */
export function createCallCard(context) {
  const text = element('span', { class: 'call-text' });
  const body = element('div', { class: 'call-body' });
  const summary = element('summary', {}, text, icon('chevron'));
  const details = element('details', { class: 'call' }, summary, body);
  const note = element('p', { class: 'call-note', hidden: true });
  const link = element('a', { class: 'call-link', hidden: true });
  const shown = element('div', { class: 'call-media', hidden: true });
  const node = element('div', { class: 'call-card' }, details, note, link, shown);
  /** @type {CallGroup | null} */
  let current = null;
  let media = '';
  details.addEventListener('toggle', async () => {
    if (!current || !details.open) return;
    await fill(current);
    details.scrollIntoView({ block: 'nearest' }); // the newest call would open below the visible part
  });

  /** @param {CallGroup} group */
  async function fill(group) {
    try {
      const create = import('../calls/call-details.js').then(({ createCallDetails }) => createCallDetails);
      const [createCallDetails] = await Promise.all([create, ...loadStyles()]);
      if (group === current) body.replaceChildren(...createCallDetails(group, context));
    } catch {
      body.replaceChildren(element('p', { class: 'hint' }, NOT_LOADED));
    }
  }

  /** Pictures and sound of our own, and what was made for the eyes. @param {CallGroup} group */
  async function showMedia({ calls }) {
    const done = calls.filter(isVisual);
    const key = done.map(({ id }) => id).join(' ');
    if (key === media) return;
    media = key;
    shown.hidden = !key;
    const create = import('../calls/call-media.js').then(({ createCallMedia }) => createCallMedia);
    const [createCallMedia] = await Promise.all([create, ...loadStyles()]).catch(() => []);
    if (createCallMedia && key === media) shown.replaceChildren(...done.map((call) => createCallMedia(call, context)));
  }

  /** @param {CallGroup} group */
  function show(group) {
    const told = tell(group, (name) => context.endpoints.find(name, () => current && show(current)));
    details.dataset.state = told.state;
    text.textContent = told.text;
    note.textContent = told.note;
    note.hidden = !told.note;
    node.hidden = group.waits; // its question says it
    const opened = group.calls.length === 1 ? recordLink(group.calls[0]) : null;
    link.hidden = !opened;
    if (opened) link.setAttribute('href', opened.href);
    link.textContent = opened?.label ?? '';
    showMedia(group);
  }

  return {
    node,
    /** @param {CallGroup} group */
    update(group) {
      if (current && isSame(current, group)) return;
      current = group;
      show(group);
      if (details.open) fill(group);
    },
  };
}

/** Whether media are what was asked for. @param {CallPart} call */
function isVisual(call) {
  if (call.state !== 'done' || call.name.startsWith('records.')) return false;
  return Boolean(bodyOf(call).prompt) || (JSON.stringify(call.output) ?? '').includes('/api/media/');
}

/** @param {CallGroup} one @param {CallGroup} other */
function isSame(one, other) {
  return one.waits === other.waits && one.calls.length === other.calls.length && one.calls.every((call, at) => isEqual(call, other.calls[at]));
}

/** A stored call says what the streamed one has said: what is open in its card stays so. @param {CallPart} one @param {CallPart} other */
function isEqual(one, other) {
  return one === other || (one.state === other.state && printOf(one) === printOf(other));
}

/** @param {CallPart} call */
function printOf({ id, name, input, inputText, output, message }) {
  return JSON.stringify([id, name, input ?? inputText, output, message]);
}
