// Checks what a canvas can store for its widgets: JSON that the server accepts, and no more than fits into one write.

import { toJson } from './json-value.js';

// Source: docs/contract.md, 3.12: a write has at most 1 MiB and 25 000 values. The rest is for widgets and connections.
const MOST = { bytes: 786_432, values: 15_000 }; // for all stored states and values of the widgets on a canvas

const REFUSED = /[\0\p{Surrogate}]/u; // with the flag `u`, a surrogate pair is one character and does not match

/**
 * @typedef {{bytes: number, values: number}} Weight a list or an object counts as two values
 * @typedef {import('./json-value.js').JsonValue} JsonValue
 */

/**
 * Like `toJson`. But the server also refuses NUL, unpaired surrogates, the key `__proto__`, and a `constructor` with a
 * `prototype`; for these the error is `not_json`.
 * @param {unknown} value @param {number} [limit] in bytes
 * @returns {{json: JsonValue, error?: undefined} & Weight | {error: import('./json-value.js').JsonError}}
 */
export function toStored(value, limit) {
  const copy = toJson(value, limit);
  if (copy.error !== undefined) return copy;
  const values = count(copy.json);
  return Number.isNaN(values) ? { error: 'not_json' } : { json: copy.json, bytes: copy.bytes, values };
}

/** @param {JsonValue} value @returns {number} NaN if a part of it is refused */
function count(value) {
  if (typeof value === 'string') return REFUSED.test(value) ? NaN : 1;
  if (typeof value !== 'object' || value === null) return 1;
  if (isRefused(value)) return NaN;
  return Object.values(value).reduce((/** @type {number} */ sum, each) => sum + count(each), 2);
}

/** @param {object} object */
function isRefused(object) {
  if (Array.isArray(object)) return false;
  const inner = Object.hasOwn(object, 'constructor') ? object.constructor : null;
  const hasPrototype = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype');
  return hasPrototype || Object.keys(object).some((key) => key === '__proto__' || REFUSED.test(key));
}

/** The budget for the stored states and values of all widgets of a canvas: they share one limit, because one write stores them. */
export function createBudget() {
  /** @type {Map<string, Weight>} */
  const weights = new Map();
  const sum = (/** @type {'bytes' | 'values'} */ unit) => [...weights.values()].reduce((all, weight) => all + weight[unit], 0);
  return {
    /** Sets the weight of a key, in place of its old weight. @param {string} key @param {Weight} weight @returns {boolean} false if it exceeds the budget */
    put(key, { bytes, values }) {
      const before = weights.get(key) ?? { bytes: 0, values: 0 };
      const fits = sum('bytes') - before.bytes + bytes <= MOST.bytes && sum('values') - before.values + values <= MOST.values;
      if (fits) weights.set(key, { bytes, values });
      return fits;
    },
    /** Sets the weight of data that are stored already, even if they exceed the budget. @param {string} key @param {Weight} weight */
    note: (key, { bytes, values }) => void weights.set(key, { bytes, values }),
    /** @param {string} key */
    free: (key) => void weights.delete(key),
  };
}
