// @ts-check
// Readers for the values that arrive at an input. They come from other widgets, so any part may be missing.

import { isObject } from './json-value.js';

/**
 * @typedef {{name: string, latitude?: number, longitude?: number, address?: string, country?: string}} Place
 * @typedef {{name: string, email: string, phone?: string, organization?: string}} Person
 * @typedef {{title: string, start: string, end: string, allDay: boolean, location: string, attendees: string[]}} EventValue
 * @typedef {Record<string, unknown>} Item one row of a table, one mark of a chart
 */

const ITEMS = 500; // rows that a widget shows at most

/** @param {unknown} value */
const text = (value) => (typeof value === 'string' ? value.trim() : '');

/** The text in `{"value": …}`, the form in which scalars are sent. @param {any} value @returns {string} '' for any other value */
export function textOf(value) {
  const inner = isObject(value) && 'value' in value ? value.value : value;
  return typeof inner === 'number' ? String(inner) : typeof inner === 'string' ? inner : '';
}

/** @param {any} value @returns {Place | null} */
export function placeOf(value) {
  if (!isObject(value) || !text(value.name)) return null;
  const { latitude, longitude } = value;
  const isPoint = inRange(latitude, 90) && inRange(longitude, 180);
  const point = isPoint ? { latitude, longitude } : {};
  return { name: text(value.name), ...point, ...texts(value, ['address', 'country']) };
}

/** @param {unknown} number @param {number} most */
function inRange(number, most) {
  return typeof number === 'number' && Math.abs(number) <= most;
}

/** @param {any} value @returns {Person | null} */
export function personOf(value) {
  if (!isObject(value) || !text(value.email)) return null;
  return { name: text(value.name), email: text(value.email), ...texts(value, ['phone', 'organization']) };
}

/** @param {any} value @returns {EventValue | null} */
export function eventOf(value) {
  if (!isObject(value) || !text(value.title)) return null;
  const attendees = Array.isArray(value.attendees) ? value.attendees.map(text).filter(Boolean) : [];
  const { start, end, location } = { start: '', end: '', location: '', ...texts(value, ['start', 'end', 'location']) };
  return { title: text(value.title), start, end, location, attendees, allDay: value.allDay === true };
}

/** The rows of a list; scalars become rows with one column. @param {any} value @returns {Item[]} */
export function itemsOf(value) {
  const list = isObject(value) ? value.value : value;
  if (!Array.isArray(list)) return [];
  return list.slice(0, ITEMS).map((entry) => (isObject(entry) ? { ...entry } : { value: entry }));
}

/** @param {Record<string, any>} value @param {string[]} names @returns {Record<string, any>} the values that are texts and not empty */
function texts(value, names) {
  return Object.fromEntries(names.map((name) => [name, text(value[name])]).filter(([, found]) => found));
}

/**
 * The names of columns that items have, in the order in which they first occur.
 * @param {Item[]} items @param {number} most
 */
export function columnsOf(items, most) {
  const names = new Set(items.flatMap((item) => Object.keys(item).filter((name) => isShown(item[name]))));
  return [...names].slice(0, most);
}

/** @param {unknown} value */
function isShown(value) {
  return value !== null && value !== '' && typeof value !== 'object';
}
