// The card for a group of tool calls in a reply. It shows one sentence, and the details of the calls when opened.

import { element, icon } from '../shared/elements.js';
import { loadStyle } from '../page/lazy-view.js';
import { bodyOf } from './endpoint-sentences.js';
import { recordLink } from './record-words.js';
import { describe } from './tool-words.js';

/**
 * @typedef {import('./call-groups.js').CallGroup} CallGroup
 * @typedef {import('./call-groups.js').CallPart} CallPart
 * @typedef {{endpoints: import('./endpoint-catalog.js').EndpointCatalog,
 *   transport: import('../shared/api-transport.js').Transport, announce?: (sentence: string) => void}} CardContext
 */

const LAZY = { styles: ['../integrations/answer.css', '../calls/call-details.css'] };
const loadStyles = () => LAZY.styles.map(loadStyle);
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
    details.scrollIntoView({ block: 'nearest' }); // otherwise the details of the newest call would open below the visible part
  });

  /** @param {CallGroup} group */
  async function fill(group) {
    let isLoaded = false;
    try {
      const create = import('../calls/call-details.js').then(({ createCallDetails }) => createCallDetails);
      const [createCallDetails] = await Promise.all([create, ...loadStyles()]);
      isLoaded = true;
      if (group === current) body.replaceChildren(...createCallDetails(group, context));
    } catch (error) {
      body.replaceChildren(element('p', { class: 'hint' }, NOT_LOADED));
      if (isLoaded) throw error; // a fault of the code, which its developers must see
    }
  }

  /** Shows the media of the calls without opening the card. @param {CallGroup} group */
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
    const description = describe(group, (name) => context.endpoints.find(name, () => current && show(current)));
    details.dataset.state = description.state;
    text.textContent = description.text;
    note.textContent = description.note;
    note.hidden = !description.note;
    node.hidden = group.waits; // the card of the question shows the call
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

/** Whether a call's result is media: it had a prompt, or its answer links to stored media. @param {CallPart} call */
function isVisual(call) {
  if (call.state !== 'done' || call.name.startsWith('records.')) return false;
  return Boolean(bodyOf(call).prompt) || (JSON.stringify(call.output) ?? '').includes('/api/media/');
}

/** @param {CallGroup} one @param {CallGroup} other */
function isSame(one, other) {
  return one.waits === other.waits && one.calls.length === other.calls.length && one.calls.every((call, at) => isEqual(call, other.calls[at]));
}

/** Whether two calls show the same. A stored call equals its streamed one, so that its card stays open. @param {CallPart} one @param {CallPart} other */
function isEqual(one, other) {
  return one === other || (one.state === other.state && keyOf(one) === keyOf(other));
}

/** @param {CallPart} call */
function keyOf({ id, name, input, inputText, output, message }) {
  return JSON.stringify([id, name, input ?? inputText, output, message]);
}
