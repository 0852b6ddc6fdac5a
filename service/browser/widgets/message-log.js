// @ts-check
// The messages of widgets as a list, newest first: who spoke, what was said, what became of it.

import { element } from '../shared/elements.js';
import { entryOf } from './message-buffer.js';

/** @typedef {import('./message-buffer.js').Entry} Entry */

const MOST = 200; // lines

/** @type {Record<string, string>} */
const WORDS = { received: 'From', sent: 'To', drop: 'Dropped from', call: 'Call of', approval: 'Decision for', resize: 'Height of' };

/** A log that shows each message at once. */
export function createMessageLog() {
  const list = createMessageList();
  const empty = element('p', { class: 'empty' }, 'No messages yet.');
  return {
    node: element('section', { 'aria-label': 'Message inspector' }, element('h2', {}, 'Messages'), empty, list),
    /** @param {any} event of a host */
    add(event) {
      empty.hidden = true;
      list.prepend(createMessageLine(entryOf(event)));
      while (list.children.length > MOST) list.lastElementChild.remove();
    },
  };
}

/** Long lists scroll, and only what has the focus can be scrolled by keys. */
export function createMessageList() {
  return element('ol', { class: 'message-log', tabindex: '0', 'aria-label': 'Messages' });
}

/** @param {Entry} entry @param {(widgetId: string) => string} [nameOf] a widget; '' for a sender that is none */
export function createMessageLine({ at, type, widgetId, summary, details }, nameOf = (id) => id || 'a stranger') {
  const subject = element('b', {}, `${WORDS[type] ?? type} ${nameOf(widgetId)}`);
  const time = element('time', {}, new Date(at).toTimeString().slice(0, 8));
  return element('li', { data: { kind: type } }, time, ' ', subject, ' ', summary, ' ', element('code', {}, details));
}
