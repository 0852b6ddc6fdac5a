// Converts between the state of a form and its JSON. The state is what the user has typed, so that unfinished input
// can be kept: '' for nothing, null for a chosen null, and texts for numbers, choices and JSON.

import { findChangedNumber, isExact } from './exact-numbers.js';
import { isObject } from './schema-fields.js';
import { isLong } from './schema-words.js';

/**
 * @typedef {import('./schema-fields.js').Field} Field
 * @typedef {any} State a text; a list of states; an object of states by name; `{at, state}` of a variant; null
 * @typedef {{path: (string | number)[], text: string}} Problem
 * @typedef {{value: any, problems: Problem[]}} Reading `value` is undefined if nothing was typed
 */

const NO_NUMBER = 'Write a number, such as 12 or 0.5.';
const LONG_NUMBER = 'This number is too large to be sent as it stands here.';
const NO_DAY = 'Choose a whole day, or empty it.';
const NO_JSON = 'This is not JSON: ';
const NUMBER = /^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const COMPOUND = ['group', 'list', 'variants'];
export const UNFINISHED = '…'; // the state of a date that is typed in part: its input has no value yet

/** @param {Field} field @returns {State} */
export function emptyState(field) {
  if (field.kind === 'group') return Object.fromEntries(field.fields.map((each) => [each.name, emptyState(each)]));
  if (field.kind === 'variants') return { at: 0, state: emptyState(field.variants[0]) };
  if (field.kind === 'list') return field.required && field.item ? [emptyState(field.item)] : [];
  return '';
}

/**
 * The body of a call: an object, even if nothing was typed.
 * @param {Field} field of the whole form @param {State} state @returns {Reading}
 */
export function bodyOf(field, state) {
  const { value, problems } = read(field, state, []);
  return { value: value === undefined && field.kind === 'group' ? {} : value, problems };
}

/** @param {Field} field @param {State} state @param {(string | number)[]} path @returns {Reading} */
function read(field, state, path) {
  if (state === null) return validReading(null);
  if (field.kind === 'group') return readGroup(field, state, path);
  if (field.kind === 'list') return readList(field, state, path);
  if (field.kind === 'variants') return read(field.variants[state.at], state.state, path);
  if (state === '') return validReading(undefined);
  if (field.kind === 'number') return readNumber(state, path);
  if (field.kind === 'text') return readText(field, state, path);
  return readJson(state, path); // choices and booleans are kept as JSON too
}

/** @param {any} value @returns {Reading} */
function validReading(value) {
  return { value, problems: [] };
}

/** @param {Field} field @param {string} text @param {(string | number)[]} path @returns {Reading} */
function readText({ schema }, text, path) {
  return schema.format === 'date' && !isDay(text) ? { value: text, problems: [{ path, text: NO_DAY }] } : validReading(text);
}

/** @param {string} text @param {(string | number)[]} path @returns {Reading} */
function readNumber(text, path) {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return { value: text, problems: [{ path, text: NO_NUMBER }] };
  return isExact(trimmed) ? validReading(Number(trimmed)) : { value: text, problems: [{ path, text: LONG_NUMBER }] };
}

/** @param {string} text @param {(string | number)[]} path @returns {Reading} */
function readJson(text, path) {
  if (!text.trim()) return validReading(undefined);
  try {
    const value = JSON.parse(text);
    const wrong = findChangedNumber(text);
    return wrong ? { value, problems: [{ path, text: `${wrong.slice(0, 30)}: ${LONG_NUMBER}` }] } : validReading(value);
  } catch (error) {
    return { value: text, problems: [{ path, text: NO_JSON + /** @type {Error} */ (error).message }] };
  }
}

/** @param {Field} field @param {State} state @param {(string | number)[]} path @returns {Reading} */
function readGroup(field, state, path) {
  const readings = field.fields.map((each) => ({
    name: each.name,
    ...read(each, state[each.name] === undefined ? emptyState(each) : state[each.name], [...path, each.name]),
  }));
  const given = readings.filter(({ value }) => value !== undefined);
  const problems = readings.flatMap((reading) => reading.problems);
  if (!given.length && !field.required) return { value: undefined, problems };
  return { value: Object.fromEntries(given.map(({ name, value }) => [name, value])), problems };
}

/** @param {Field} field @param {State[]} states @param {(string | number)[]} path @returns {Reading} */
function readList(field, states, path) {
  const item = /** @type {Field} */ (field.item);
  const readings = states.map((state, at) => read(item, state, [...path, at]));
  const problems = readings.flatMap((reading) => reading.problems);
  if (readings.every(({ value }) => value === undefined)) return { value: undefined, problems };
  // An empty item keeps its position, so that the positions in the server's answer match those on the screen.
  return { value: readings.map(({ value }) => (value === undefined ? blank(item) : value)), problems };
}

/** @param {Field} item */
function blank({ kind }) {
  if (kind === 'group') return {};
  return kind === 'text' ? '' : null;
}

/**
 * The state with which the form shows a value; undefined if the form can't show all of it.
 * @param {Field} field @param {any} value @returns {State | undefined}
 */
export function stateOf(field, value) {
  const state = write(field, value);
  return state !== undefined && isEqual(bodyOf(field, state).value, value) ? state : undefined;
}

/** @param {Field} field @param {any} value @returns {State | undefined} */
function write(field, value) {
  if (value === undefined) return emptyState(field);
  if (value === null && hasNull(field)) return null;
  if (field.kind === 'json') return JSON.stringify(value, null, 2);
  if (field.kind === 'group') return isObject(value) ? writeGroup(field, value) : undefined;
  if (field.kind === 'list') return Array.isArray(value) ? writeList(field, value) : undefined;
  if (field.kind === 'variants') return writeVariant(field, value);
  if (field.kind === 'text') return typeof value === 'string' && hasRoom(field, value) ? value : undefined;
  if (field.kind === 'number') return typeof value === 'number' ? String(value) : undefined;
  if (field.kind === 'boolean') return typeof value === 'boolean' ? String(value) : undefined;
  return field.options.includes(value) ? JSON.stringify(value) : undefined;
}

/** @param {Field} field @param {Record<string, any>} value */
function writeGroup(field, value) {
  const states = field.fields.map((each) => [each.name, write(each, ownOf(value, each.name))]);
  return states.some(([, state]) => state === undefined) ? undefined : Object.fromEntries(states);
}

/** @param {Field} field @param {any[]} values */
function writeList(field, values) {
  const states = values.map((value) => write(/** @type {Field} */ (field.item), value));
  return states.includes(undefined) ? undefined : states;
}

/** @param {Field} field @param {any} value */
function writeVariant(field, value) {
  for (const [at, variant] of field.variants.entries()) {
    const state = stateOf(variant, value);
    if (state !== undefined) return { at, state };
  }
  return undefined;
}

/**
 * Adapts a state that another version of the form may have stored: parts that do not fit are left out.
 * @param {Field} field @param {any} state @returns {State}
 */
export function repairState(field, state) {
  const empty = emptyState(field);
  if (state === null) return hasNull(field) ? null : empty;
  if (field.kind === 'group') {
    const given = isObject(state) ? state : {};
    return Object.fromEntries(field.fields.map((each) => [each.name, repairState(each, ownOf(given, each.name))]));
  }
  if (field.kind === 'list') {
    return Array.isArray(state) ? state.map((each) => repairState(/** @type {Field} */ (field.item), each)) : empty;
  }
  if (field.kind === 'variants') {
    const variant = field.variants[state?.at];
    return variant ? { at: state.at, state: repairState(variant, state.state) } : empty;
  }
  return typeof state === 'string' ? state : empty;
}

/** Whether null can be chosen in the field's control. @param {Field} field */
function hasNull({ nullable, kind }) {
  return nullable && !COMPOUND.includes(kind);
}

/** Whether the field's control can hold a text without changing it. @param {Field} field @param {string} text */
function hasRoom(field, text) {
  const { format } = field.schema;
  if (format === 'date') return isDay(text);
  if (format === 'uri' || format === 'email') return !/[\r\n]/.test(text) && text === text.trim();
  return isLong(field) ? !text.includes('\r') : !/[\r\n]/.test(text);
}

/** @param {string} text */
function isDay(text) {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text);
}

/** @param {Record<string, any>} object @param {string} name which may be that of an inherited property */
function ownOf(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** @param {any} one @param {any} other both are JSON values or undefined @returns {boolean} */
function isEqual(one, other) {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && isEqual(one[key], other[key]));
}
