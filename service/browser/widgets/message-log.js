// @ts-check
// The messages of widgets as a list, newest first, each with its sender, its content and its outcome.

import { element } from '../shared/elements.js';
import { entryOf } from './message-buffer.js';

/** @typedef {import('./message-buffer.js').Entry} Entry */

const MOST = 200; // lines in the list

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

/** A list that can have the focus: long lists scroll, and the keyboard can only scroll a box that has the focus. */
export function createMessageList() {
  return element('ol', { class: 'message-log', tabindex: '0', 'aria-label': 'Messages' });
}

/** @param {Entry} entry @param {(widgetId: string) => string} [nameOf] returns the name of a widget; gets '' for a sender that is not a widget */
export function createMessageLine({ at, type, widgetId, summary, details }, nameOf = (id) => id || 'a stranger') {
  const subject = element('b', {}, `${WORDS[type] ?? type} ${nameOf(widgetId)}`);
  const time = element('time', {}, new Date(at).toTimeString().slice(0, 8));
  return element('li', { data: { kind: type } }, time, ' ', subject, ' ', summary, ' ', element('code', {}, details));
}
