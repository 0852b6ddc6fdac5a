// Formats numbers, times and states for the admin pages.

import { since, wholeMoment } from '../shared/time-format.js';
import { formatNumber, numberInWords } from '../shared/number-words.js';
import { element } from '../shared/elements.js';

/** @param {number | null} credits */
export function credits(credits) {
  return credits === null ? '–' : numberInWords(credits);
}

/** @param {number} credits an entry of the account @returns {string} "1,000", "−0.0105": no digit is left out */
export function amount(credits) {
  return formatNumber(credits, 6).replace('-', '−');
}

/** @param {string | null} iso @param {string} [never] */
export function time(iso, never = 'never') {
  if (!iso) return never;
  return element('time', { datetime: iso, title: wholeMoment(iso) }, since(iso));
}

/** Updates the times inside a node. @param {HTMLElement} node */
export function renewTimes(node) {
  for (const each of node.querySelectorAll('time')) each.textContent = since(each.dateTime);
}

/** @param {number} count @param {string} noun */
export function countOf(count, noun) {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * A state as a word with a dot; the color of the dot has the same meaning as the word.
 * @param {string} word @param {'good' | 'warn' | 'off'} kind
 */
export function badge(word, kind) {
  return element('span', { class: 'admin-state', data: { kind } }, word);
}

/** @param {string | null} role that an operator has set */
export function roleWords(role) {
  return role ?? element('span', { class: 'soft' }, 'as in the token');
}

/** @param {string} id of a turn, a chat or a worker; its beginning is enough to distinguish it */
export function shortId(id) {
  const [, tail = id] = id.split('_');
  return element('code', { title: id }, tail.slice(0, 8));
}

const ENDINGS = {
  gone: 'The user left',
  stop: 'Stopped',
  drain: 'The server ended',
  deleted: 'The chat was deleted',
};

/** @param {{status: string, reason: string | null, finishReason: string}} kind of a stored reply */
export function endingWords({ status, reason, finishReason }) {
  if (status === 'aborted') return ENDINGS[/** @type {keyof typeof ENDINGS} */ (reason ?? '')] ?? 'Interrupted';
  return finishReason === 'length' ? 'Cut at the longest length' : `Finished: ${finishReason}`;
}
