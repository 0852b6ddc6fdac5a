// Converts the filters of a table into the `where` of the records API. Source: docs/contract.md, section 7.4.

import { isJson, wordOf } from './collections.js';
import { readText, shownText } from './values.js';

/**
 * @typedef {import('./collections.js').Column} Column
 * @typedef {{column: Column, operator: string, text: string}} Filter `text` as typed; '' for an operator without a value
 * @typedef {{name: string, word: string, needsText: boolean}} Operator
 */

export const MOST_SEARCHES = 20; // `contains` in one filter
const DEPTH = 4; // levels of nested objects

const EMPTY = [
  { name: 'empty', word: 'is empty', needsText: false },
  { name: 'filled', word: 'is not empty', needsText: false },
];
const SAME = [
  { name: 'eq', word: 'is', needsText: true },
  { name: 'ne', word: 'is not', needsText: true },
];
const TEXT = [
  { name: 'contains', word: 'contains', needsText: true },
  { name: 'startsWith', word: 'begins with', needsText: true },
];
const ONE_OF = { name: 'in', word: 'is one of', needsText: true };
const FLAG = [
  { name: 'true', word: 'is yes', needsText: false },
  { name: 'untrue', word: 'is not yes', needsText: false },
];

/** @param {string[]} words for lt, lte, gt, gte */
function ordered(words) {
  return ['lt', 'lte', 'gt', 'gte'].map((name, at) => ({ name, word: words[at], needsText: true }));
}

/** @param {Column} column @returns {Operator[]} none for JSON columns, because the server does not compare them */
export function operatorsOf(column) {
  const empty = column.required ? [] : EMPTY;
  if (isJson(column)) return [];
  if (column.type === 'boolean') return [...FLAG, ...empty];
  if (column.type === 'datetime') return [...ordered(['is before', 'is at or before', 'is after', 'is at or after']), ...empty];
  if (column.type === 'string') return [...TEXT, ...SAME, ONE_OF, ...ordered(['is before', 'is up to', 'is after', 'is from']), ...empty];
  return [...SAME, ...ordered(['is less than', 'is at most', 'is more than', 'is at least']), ONE_OF, ...empty];
}

/** @param {Filter} filter @returns {string} "Title contains “x”" */
export function wordsOf({ column, operator, text }) {
  const found = operatorsOf(column).find(({ name }) => name === operator);
  const words = `${wordOf(column.name)} ${found?.word ?? operator}`;
  if (!found?.needsText) return words;
  const value = column.type === 'datetime' ? shownText(column, text) : text;
  return `${words} ${column.type === 'string' ? `“${value}”` : value}`;
}

/** @param {Filter} filter @returns {{condition: Record<string, any>} | {problem: string}} the operators with their values */
export function conditionOf({ column, operator, text }) {
  if (operator === 'empty') return { condition: { eq: null } };
  if (operator === 'filled') return { condition: { ne: null } };
  if (operator === 'true') return { condition: { eq: true } };
  if (operator === 'untrue') return { condition: { ne: true } };
  if (!text.trim()) return { problem: 'Write what to look for.' };
  if (operator !== 'in') return withOperator(operator, readText(column, text));
  const parts = text.split(',').map((part) => part.trim()).filter(Boolean);
  if (!parts.length) return { problem: 'Write what to look for.' };
  const readings = parts.map((part) => readText(column, part));
  const wrong = readings.find((reading) => 'problem' in reading);
  if (wrong && 'problem' in wrong) return wrong;
  return { condition: { in: readings.map((reading) => /** @type {{value: any}} */ (reading).value) } };
}

/** Whether two filters need the same key in `where`, such as "is not" and "is not empty". @param {Filter} one @param {Filter} other */
export function areAlike(one, other) {
  return one.column === other.column && keyOf(one) === keyOf(other);
}

/** @param {Filter} filter @returns {string} the operator of the server; '' if the value can't be read */
function keyOf(filter) {
  const found = conditionOf(filter);
  return 'problem' in found ? '' : Object.keys(found.condition)[0];
}

/** @param {string} operator @param {import('./values.js').Reading} reading */
function withOperator(operator, reading) {
  return 'problem' in reading ? reading : { condition: { [operator]: reading.value } };
}

/**
 * The condition that all filters hold and that at least one text column contains the words of the search.
 * @param {Filter[]} filters valid ones @param {string} search @param {Column[]} columns of the collection
 * @returns {Record<string, any>} `where`
 */
export function whereOf(filters, search, columns) {
  /** @type {Record<string, any>[]} an object can have an operator only once for a column; a second one goes into a nested object */
  const levels = [{}];
  for (const filter of filters) {
    const found = conditionOf(filter);
    if ('problem' in found) continue;
    const { name } = filter.column;
    const isFree = (/** @type {Record<string, any>} */ level) => Object.keys(found.condition).every((key) => !(key in (level[name] ?? {})));
    const level = levels.find(isFree) ?? addLevel(levels);
    level[name] = { ...level[name], ...found.condition };
  }
  const used = filters.filter(({ operator }) => operator === 'contains').length;
  const alternatives = searchAlternatives(search, columns, MOST_SEARCHES - used);
  const last = levels.length - 1;
  if (alternatives.length) levels[last] = { ...levels[last], or: alternatives };
  return levels.reduceRight((inner, level) => ({ ...level, or: [inner] }));
}

/** @param {Record<string, any>[]} levels @returns {Record<string, any>} a deeper level, or the last one again if no deeper level is allowed */
function addLevel(levels) {
  if (levels.length < DEPTH - 1) levels.push({});
  return levels[levels.length - 1];
}

/**
 * The server's search is case-sensitive, so the words are searched as typed, in lower case, and capitalized.
 * @param {string} search @param {Column[]} columns @param {number} most
 */
export function searchAlternatives(search, columns, most) {
  const words = search.trim();
  if (!words) return [];
  const small = words.toLowerCase();
  const variants = [...new Set([words, small, small.charAt(0).toUpperCase() + small.slice(1)])];
  const texts = columns.filter(({ type, name }) => type === 'string' && !/Id$/.test(name));
  const all = variants.flatMap((contains) => texts.map(({ name }) => ({ [name]: { contains } })));
  return all.slice(0, most);
}
