// @ts-check
// The messages of widgets as a list, newest first: who spoke, what was said, what became of it.

import { element } from '../shared/elements.js';
import { messageText } from './message-text.js';

const MOST = 200; // lines
const SHOWN = 2_000; // characters of a message

/** @type {Record<string, string>} */
const WORDS = { received: 'From', sent: 'To', drop: 'Dropped from', call: 'Call of', approval: 'Decision for', resize: 'Height of' };

export function createMessageLog() {
  const list = element('ol', { class: 'message-log', tabindex: '0', 'aria-label': 'Messages' });
  const empty = element('p', { class: 'empty' }, 'No messages yet.');
  return {
    node: element('section', { 'aria-label': 'Message inspector' }, element('h2', {}, 'Messages'), empty, list),
    /** @param {any} event of a host */
    add(event) {
      empty.hidden = true;
      list.prepend(lineOf(event));
      while (list.children.length > MOST) list.lastElementChild.remove();
    },
  };
}

/** @param {any} event */
function lineOf(event) {
  const { type, widgetId } = event;
  const subject = element('b', {}, `${WORDS[type] ?? type} ${widgetId || 'a stranger'}`);
  return element('li', { data: { kind: type } }, subject, ' ', summaryOf(event), ' ', element('code', {}, detailsOf(event)));
}

/** @param {any} event @returns {string} */
function summaryOf({ type, message, reason, field, endpoint, approval, success, height }) {
  if (type === 'drop') return `${message || 'a message'}: ${reason}${field ? ` (${field})` : ''}`;
  if (type === 'call') return `${endpoint}: ${success ? 'succeeded' : 'failed'}`;
  if (type === 'approval') return `${endpoint}: ${approval}`;
  return type === 'resize' ? `${height} px` : (message?.type ?? '');
}

/** @param {any} event */
function detailsOf({ message }) {
  if (typeof message !== 'object' || message === null) return '';
  const { type: _, ...rest } = message;
  return messageText(rest, SHOWN);
}
