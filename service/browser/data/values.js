// Converts values of columns to text, for display and for inputs, and back. The server validates.

import { beginningOf, isJson } from './collections.js';
import { findChangedNumber, isExact } from '../shared/exact-numbers.js';
import { fromLocalInput, moment, toLocalInput } from '../shared/time-format.js';

/**
 * @typedef {import('./collections.js').Column} Column
 * @typedef {{value: any} | {problem: string}} Reading
 */

const MOST = 200; // characters of a value in a table
export const TOO_LARGE = 'too large to be sent as it stands here'; // for a value to store or to search for
const THOUSANDS = /^[-+]?[1-9]\d{0,2},\d{3}$/; // the comma may also be a decimal comma: a guess could be wrong by a factor of 1000

/** @param {Column} column @param {any} value @returns {string} the text for display, in one line */
export function shownText(column, value) {
  if (value === undefined || value === null) return '';
  if (column.type === 'datetime' && isTime(value)) return moment(value);
  if (column.type === 'boolean') return value ? 'Yes' : 'No';
  return beginningOf(isJson(column) || typeof value === 'object' ? JSON.stringify(value) : String(value), MOST);
}

/** @param {Column} column @param {any} value @returns {string} the text for an input */
export function typedText(column, value) {
  if (value === undefined || value === null) return '';
  if (column.type === 'datetime') return isTime(value) ? toLocalInput(value) : '';
  return isJson(column) || typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** Whether a value of a column of times is one: the column may have had another type when the value was stored. @param {any} value */
function isTime(value) {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** @param {Column} column @param {string} text @returns {Reading} null empties the column */
export function readText(column, text) {
  if (column.type === 'string') return { value: text === '' && !column.required ? null : text };
  const typed = text.trim();
  if (!typed) return column.required ? { problem: 'This needs a value.' } : { value: null };
  if (column.type === 'datetime') return readMoment(typed);
  if (isJson(column)) return readJson(column, typed);
  return readNumber(column, typed);
}

/** @param {string} typed @returns {Reading} */
function readMoment(typed) {
  if (Number.isNaN(Date.parse(typed))) return { problem: 'Choose a date and a time.' };
  return { value: fromLocalInput(typed) };
}

/** @param {Column} column @param {string} typed @returns {Reading} */
function readNumber(column, typed) {
  if (THOUSANDS.test(typed)) return { problem: 'Write this number without its comma, or with a point.' };
  const text = typed.replace(/^\u2212/, '-').replace(/^([-+]?\d+),(\d+)$/, '$1.$2'); // U+2212 is the minus sign of printed texts
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: 'Write a number, such as 12.5.' };
  if (!isExact(text)) return { problem: `This number is ${TOO_LARGE}.` };
  if (column.type === 'integer' && !Number.isSafeInteger(value)) return { problem: 'Write a whole number.' };
  return { value };
}

/** @param {Column} column @param {string} typed @returns {Reading} */
function readJson({ type }, typed) {
  const example = type === 'array' ? 'Write a JSON list: […].' : 'Write a JSON object: {…}.';
  try {
    const value = JSON.parse(typed);
    const wrong = findChangedNumber(typed);
    if (wrong) return { problem: `${wrong.slice(0, 30)} is ${TOO_LARGE}.` };
    const isFit = type === 'array' ? Array.isArray(value) : value && typeof value === 'object' && !Array.isArray(value);
    return isFit ? { value } : { problem: example };
  } catch {
    return { problem: example };
  }
}

/** Whether two values look the same to a user. @param {any} a @param {any} b */
export function isSame(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
