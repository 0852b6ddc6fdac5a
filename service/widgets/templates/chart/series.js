// @ts-check
// Finds the values of items that can be drawn. Pure functions.

import { shortDay } from '../../../browser/shared/time-format.js';

/**
 * @typedef {import('../../../browser/widgets/widget-values.js').Item} Item
 * @typedef {{label: string, value: number, item: Item}} Mark
 */

const DATE = /^\d{4}-\d{2}-\d{2}/;

/** The value as a number, if it is a number or a text with a number. @param {unknown} value @returns {number | null} */
export function numberIn(value) {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !value.trim()) return null;
  const number = Number(value.replace(/(?<=\d)[\s,](?=\d{3}\b)/g, ''));
  return Number.isFinite(number) ? number : null;
}

/**
 * The columns with numbers in at least half of the items, and the columns that can label a mark.
 * @param {Item[]} items
 */
export function columnsFor(items) {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const count = (/** @type {string} */ name) => items.filter((item) => numberIn(item[name]) !== null).length;
  const numbers = names.filter((name) => count(name) * 2 >= items.length && count(name) > 0);
  const texts = names.filter((name) => items.some((item) => typeof item[name] === 'string') && !numbers.includes(name));
  return { numbers, labels: [...texts, ...numbers] };
}

/** @param {Item[]} items @param {string} label a column's name, or '' @param {string} number @returns {Mark[]} */
export function seriesOf(items, label, number) {
  return items.flatMap((item, at) => {
    const value = numberIn(item[number]);
    return value === null ? [] : [{ label: labelOf(item[label], at), value, item }];
  });
}

/** @param {unknown} value @param {number} at */
function labelOf(value, at) {
  if (value === null || value === undefined || value === '') return `${at + 1}`;
  const isDate = typeof value === 'string' && DATE.test(value) && !Number.isNaN(Date.parse(value));
  if (!isDate) return String(value);
  return shortDay(value);
}

/** The scale of the axis: the positions of zero and of each mark, from 0 to 1. @param {Mark[]} series */
export function scaleOf(series) {
  const values = series.map((mark) => mark.value);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const at = (/** @type {number} */ value) => (most === least ? 0 : (value - least) / (most - least));
  return { least, most, zero: at(0), at };
}
