// Checks and copies the JSON values that are sent between widgets. Pure functions.

import { LIMITS } from './messages.js';

const MAX_DEPTH = 100; // a limit, because JSON.stringify and later readers are recursive

/**
 * @typedef {null | boolean | number | string | JsonValue[] | {[key: string]: JsonValue}} JsonValue
 * @typedef {'not_json' | 'too_large'} JsonError
 */

/**
 * A deep copy of a value, with its JSON text. Properties with the value undefined are left out. Functions, symbols,
 * bigints, NaN, infinities, instances of classes and cycles are not JSON. It never throws for a value from a message.
 * @param {unknown} value
 * @param {number} [limit] of the text, in UTF-8 bytes
 * @returns {{json: JsonValue, text: string, bytes: number, error?: undefined} | {error: JsonError}}
 */
export function toJson(value, limit = LIMITS.ioValueBytes) {
  const error = walk(value, { left: limit }, new Set());
  if (error) return { error };
  const text = JSON.stringify(value);
  const bytes = new TextEncoder().encode(text).length;
  return bytes > limit ? { error: 'too_large' } : { json: JSON.parse(text), text, bytes };
}

/**
 * Finds values that are not JSON. It counts characters on the way, because a small value with shared objects can have
 * a text of any length.
 * @param {unknown} value @param {{left: number}} budget in characters
 * @param {Set<object>} parents of the value
 * @returns {JsonError | null}
 */
function walk(value, budget, parents) {
  budget.left -= typeof value === 'string' ? value.length + 2 : 1;
  if (budget.left < 0) return 'too_large';
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'not_json';
  if (typeof value !== 'object' || parents.has(value)) return 'not_json';
  if (parents.size >= MAX_DEPTH) return 'too_large';
  parents.add(value);
  const error = walkInto(value, budget, parents);
  parents.delete(value);
  return error;
}

/** @param {object} value @param {{left: number}} budget @param {Set<object>} parents */
function walkInto(value, budget, parents) {
  if (Array.isArray(value)) return walkItems(value, budget, parents);
  return isPlain(value) ? walkProperties(value, budget, parents) : 'not_json';
}

/** @param {unknown[]} items @param {{left: number}} budget @param {Set<object>} parents */
function walkItems(items, budget, parents) {
  if (items.length > budget.left) return 'too_large'; // a sparse array can have any length
  for (let at = 0; at < items.length; at += 1) {
    const error = walk(items[at], budget, parents);
    if (error) return error;
  }
  return null;
}

/** @param {object} object @param {{left: number}} budget @param {Set<object>} parents */
function walkProperties(object, budget, parents) {
  for (const [key, value] of Object.entries(object)) {
    budget.left -= value === undefined ? 1 : key.length + 3; // counted even for undefined, because an object can be in many places
    if (value === undefined) continue;
    const error = walk(value, budget, parents);
    if (error) return error;
  }
  return null;
}

/** @param {object} value of any realm */
function isPlain(value) {
  const prototype = Object.getPrototypeOf(value);
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return plain && Object.prototype.toString.call(value) === '[object Object]';
}

/** @param {unknown} value @returns {value is {[key: string]: any}} whether it is a JSON object, and not an array */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A text that is the same for equal values, whatever the order of their keys.
 * @param {any} value a JSON value
 * @returns {string}
 */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys.sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}
