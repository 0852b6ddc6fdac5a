// Shows named values as a list for people, for example the values that will be sent.

import { element } from '../shared/elements.js';
import { withVisibleMarks } from '../shared/visible-text.js';
import { nameInWords } from '../shared/words.js';
import { capitalize, isMoment, momentInWords } from './value-words.js';

const LONG = 160; // characters; a longer value gets its own scrollable box

/** @param {Record<string, any>} values @param {{exact?: boolean}} [options] `exact` shows every value unchanged @returns {HTMLElement} */
export function createValueList(values, { exact = false } = {}) {
  const entries = Object.entries(values).filter(([, value]) => exact || (value !== null && value !== ''));
  const rows = entries.map(([name, value]) =>
    element('div', { class: 'value' }, element('dt', {}, capitalize(nameInWords(name))), element('dd', {}, createValue(name, value, exact))),
  );
  return element('dl', { class: 'value-list' }, ...rows);
}

/** @param {string} name @param {any} value @param {boolean} exact */
function createValue(name, value, exact) {
  const text = withVisibleMarks(textOf(value, exact));
  const isLong = text.length > LONG || text.includes('\n');
  // Long values scroll, and the keyboard can only scroll a box that has the focus.
  const box = isLong ? { class: 'value-long', tabindex: '0', role: 'group', 'aria-label': capitalize(nameInWords(name)) } : {};
  return element('div', { dir: 'ltr', ...box }, text);
}

/** @param {any} value @param {boolean} exact @returns {string} */
function textOf(value, exact) {
  if (value === null || value === undefined) return 'empty';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return !exact && isMoment(value) ? momentInWords(value) : value || 'empty';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || 'empty';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}
