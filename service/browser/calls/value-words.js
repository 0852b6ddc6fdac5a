// Formats values of data as words in one line. Other people may have written the texts.

import { numberInWords } from '../shared/number-words.js';
import { day, moment } from '../shared/time-format.js';
import { oneLine, pluralOf } from '../shared/words.js';

const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;
const SHORT = 60; // characters of a value in a sentence
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Cc}\s\u2800]/u;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** @param {string} text */
export function capitalize(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

/** Whether nothing of a text can be seen. @param {string} text */
export function isBlank(text) {
  return !VISIBLE.test(text);
}

/** Quotation marks inside the text become single ones, so that it does not seem to end before its end. @param {string} text @param {number} [most] characters @returns {string} */
export function quote(text, most = SHORT) {
  const inside = oneLine(text).replaceAll('“', '‘').replaceAll('”', '’');
  return `“${isolated(shorten(inside, most))}”`;
}

/** A text from right to left that does not change the order of the words around it. @param {string} text */
function isolated(text) {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
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
  if (typeof value === 'string') return textInWords(value);
  if (Array.isArray(value)) return quantityWords(value.length, 'item');
  return 'changed';
}

/** @param {string} text */
function textInWords(text) {
  if (isBlank(text)) return 'blank';
  return isMoment(text) ? momentInWords(text) : quote(text, 40);
}

/** Whether a text is a date or a time of ISO 8601. @param {string} text */
export function isMoment(text) {
  if (!MOMENT.test(text) || Number.isNaN(Date.parse(text))) return false;
  const date = text.slice(0, 10);
  return new Date(date).toISOString().startsWith(date); // browsers read 30 February as 2 March
}

/** @param {string} iso @returns {string} "1 Dec", "1 Dec, 18:00"; with the year if it is not this one */
export function momentInWords(iso) {
  const at = new Date(iso);
  return iso.length === 10 || (at.getHours() === 0 && at.getMinutes() === 0) ? day(iso) : moment(iso);
}

/** @param {number} number @param {string} one @param {string} [many] */
export function quantityWords(number, one, many = pluralOf(one)) {
  const shown = number === 0 ? 'no' : numberInWords(number);
  return `${shown} ${shown === '1' ? one : many}`;
}
