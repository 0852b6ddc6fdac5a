// @ts-check
// The weight of a message: how many messages it counts as in the rate limit of a widget. A large message takes the page
// longer, and a subscription uses two of the operations that the server accepts from the page's socket.

import { LIMITS, TYPES } from './messages.js';

const VALUE = 10; // one JSON value takes as long as this many characters
const CHARACTERS = 20_000; // characters that count as one more message
const MOST = 10_000_000; // characters that are counted at most
const SUBSCRIPTION = 100; // messages; the rate of a widget then allows two subscriptions per second
const MOST_READ = LIMITS.apiBodyBytes; // characters that are read at most if objects are in many places of a message

/**
 * @param {unknown} data of a message; may have cycles
 * @returns {number} at least 1
 */
export function weightOf(data) {
  const read = charactersOf(data, MOST_READ);
  const characters = read < MOST_READ ? read : Math.max(MOST_READ, charactersOf(data, MOST, new Set()));
  return (isSubscription(data) ? SUBSCRIPTION : 1) + Math.floor(characters / CHARACTERS);
}

/** @param {any} data */
const isSubscription = (data) => data?.type === TYPES.recordsSubscribe;

/** @param {unknown} data @param {number} most @param {Set<unknown>} [seen] if given, each object is counted once @returns {number} */
function charactersOf(data, most, seen) {
  const open = [data];
  let characters = 0;
  while (open.length > 0 && characters < most) {
    const value = open.pop();
    if (seen?.has(value)) continue;
    if (typeof value === 'object') seen?.add(value);
    characters += look(value, open);
  }
  return Math.min(characters, most);
}

/** @param {unknown} value @param {unknown[]} open the values inside are added to it @returns {number} characters */
function look(value, open) {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return lookInto(value, open);
  if (value instanceof Map) return lookInto([...value].flat(), open);
  if (value instanceof Set) return lookInto([...value], open);
  if (Object.getPrototypeOf(value) !== Object.prototype) return 0; // bytes, dates, errors
  return lookInto(Object.keys(value), open) + lookInto(Object.values(value), open);
}

/** @param {unknown[]} values @param {unknown[]} open @returns {number} */
function lookInto(values, open) {
  const characters = values.length * VALUE;
  if (characters > MOST) return characters; // a sparse array can have any length
  for (const value of values) if (typeof value === 'string' || typeof value === 'object') open.push(value);
  return characters;
}
