// Formats names and values of data as words in one line.

import { oneLine } from '../integrations/previews.js';
import { numberInWords } from '../shared/number-words.js';
import { day, moment } from '../shared/time-format.js';

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;
const SINGULARS = new Map([['canvases', 'canvas'], ['people', 'person'], ['news', 'news item']]);
const SHORT = 60; // characters of a value in a sentence

/** @param {string} name such as "dueAt" or "max_results" @returns {string} "due at", "max results" */
export function nameInWords(name) {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[._-]+/g, ' ').trim().toLowerCase();
}

/** @param {string} text */
export function capitalize(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

/** @param {string} text @param {number} [most] characters @returns {string} */
export function quote(text, most = SHORT) {
  return `“${shorten(oneLine(text), most)}”`;
}

/** @param {string} text @param {number} most */
function shorten(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('').trimEnd()}…` : text;
}

/** @param {any} value @returns {string} the value as part of a sentence */
export function valueInWords(value) {
  if (value === null || value === undefined || value === '') return 'empty';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberInWords(value);
  if (typeof value === 'string') return isMoment(value) ? momentInWords(value) : quote(value, 40);
  if (Array.isArray(value)) return quantityWords(value.length, 'item');
  return 'changed';
}

/** @param {string} text whether it is a date or a time of ISO 8601 */
export function isMoment(text) {
  return MOMENT.test(text) && !Number.isNaN(Date.parse(text));
}

/** @param {string} iso @returns {string} "1 Dec", "1 Dec, 18:00"; with the year if it is not this one */
export function momentInWords(iso) {
  const at = new Date(iso);
  return iso.length === 10 || (at.getHours() === 0 && at.getMinutes() === 0) ? day(iso) : moment(iso);
}

/** @param {number} number @param {string} one @param {string} [many] */
export function quantityWords(number, one, many = pluralOf(one)) {
  return `${number === 0 ? 'no' : numberInWords(number)} ${number === 1 ? one : many}`;
}

/** @param {string} word */
export function pluralOf(word) {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** @param {string} word */
export function singularOf(word) {
  const known = SINGULARS.get(word);
  if (known) return known;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** @param {string} noun @returns {string} "a task", "an entry" */
export function withArticle(noun) {
  return `${/^[aeio]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
