// The types of slots: which values a slot accepts, and which outputs fit which inputs. Pure functions.

import { canonical, isObject } from './json-value.js';

/**
 * @typedef {'string' | 'number' | 'boolean' | 'object' | 'array' | 'any'} SlotType
 *   the type of the payload: `value` itself for objects, else `value.value`
 * @typedef {object} Slot
 * @property {string} id
 * @property {'input' | 'output'} direction
 * @property {SlotType} type
 * @property {string} title
 * @property {Schema} [schema] of the payload
 * @property {number} [maxConnections] if absent, 1 for an input and the general maximum for an output
 * @property {boolean} [persist] for an output: whether the canvas stores its last value
 * @typedef {object} Schema the supported keywords of JSON Schema; others are ignored
 * @property {string | string[]} [type]
 * @property {string[]} [required]
 * @property {Record<string, Schema>} [properties]
 * @property {Schema} [items]
 * @property {any[]} [enum]
 */

const SCALARS_AND_ARRAYS = ['string', 'number', 'boolean', 'array'];

/**
 * Says why an input can't take the values of an output; null if it can.
 * @param {Slot} output @param {Slot} input
 * @returns {string | null}
 */
export function typeMismatch(output, input) {
  const open = output.type === 'any' || input.type === 'any';
  if (!open && output.type !== input.type) {
    return `“${output.title}” gives ${typeWords(output.type)}, but “${input.title}” takes ${typeWords(input.type)}.`;
  }
  const missing = missingProperty(output.schema, input.schema);
  return missing && `“${input.title}” needs ${missing}, which “${output.title}” does not give.`;
}

/**
 * @param {Schema | undefined} given @param {Schema | undefined} taken
 * @returns {string | null} the first required property that is not declared with a matching type
 */
function missingProperty(given, taken) {
  if (!given?.properties || !taken?.required) return null;
  for (const name of taken.required) {
    const offered = own(given.properties, name);
    const wanted = own(taken.properties, name);
    if (!offered) return `“${name}”`;
    if (!typesMeet(offered.type, wanted?.type)) return `“${name}” as ${[wanted?.type].flat().join(' or ')}`;
  }
  return null;
}

/** @param {string | string[] | undefined} given @param {string | string[] | undefined} taken */
function typesMeet(given, taken) {
  if (given === undefined || taken === undefined) return true;
  const accepted = [taken].flat();
  if (accepted.includes('number')) accepted.push('integer');
  return [given].flat().every((type) => accepted.includes(type));
}

/**
 * Says why a slot does not accept a value; null if it does.
 * @param {Slot} slot @param {unknown} value a JSON value
 * @returns {string | null}
 */
export function valueMismatch(slot, value) {
  if (!isObject(value)) return 'A value must be an object.';
  const wrapped = SCALARS_AND_ARRAYS.includes(slot.type);
  if (wrapped && !Object.hasOwn(value, 'value')) return `Send {"value": …} for “${slot.title}”.`;
  const payload = wrapped ? value.value : value;
  if (slot.type !== 'any' && !isOfType(payload, slot.type)) {
    return `“${slot.title}” takes ${typeWords(slot.type)}, but the value is ${typeWords(typeOf(payload))}.`;
  }
  const fault = slot.schema ? schemaMismatch(payload, slot.schema, '') : null;
  return fault && `The value does not fit “${slot.title}”: ${fault}.`;
}

/** @param {any} value @param {Schema} schema @param {string} path @returns {string | null} */
function schemaMismatch(value, schema, path) {
  const here = path || 'it';
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length && !types.some((type) => isOfType(value, type))) return `${here} must be ${types.join(' or ')}`;
  if (schema.enum && !schema.enum.some((choice) => canonical(choice) === canonical(value))) {
    return `${here} must be one of ${schema.enum.map(canonical).join(', ')}`;
  }
  if (isObject(value)) return objectMismatch(value, schema, path);
  if (!Array.isArray(value) || !schema.items) return null;
  return firstOf(value, (item, at) => schemaMismatch(item, /** @type {Schema} */ (schema.items), `${path}[${at}]`));
}

/** @param {Record<string, any>} value @param {Schema} schema @param {string} path @returns {string | null} */
function objectMismatch(value, schema, path) {
  const prefix = path && `${path}.`;
  const missing = schema.required?.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${prefix}${missing} is missing`;
  return firstOf(Object.entries(schema.properties ?? {}), ([name, inner]) =>
    Object.hasOwn(value, name) ? schemaMismatch(value[name], inner, prefix + name) : null,
  );
}

/** @template T @param {T[]} items @param {(item: T, at: number) => string | null} check */
function firstOf(items, check) {
  for (const [at, item] of items.entries()) {
    const fault = check(item, at);
    if (fault) return fault;
  }
  return null;
}

/** @param {unknown} value @param {string} type of JSON Schema */
function isOfType(value, type) {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

/** @param {unknown} value */
function typeOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** @param {string} type @returns {string} the type in words, with an article */
function typeWords(type) {
  if (type === 'any') return 'any value';
  if (type === 'null') return 'empty';
  return `${'aeiou'.includes(type[0]) ? 'an' : 'a'} ${type}`;
}

/** @param {Record<string, Schema> | undefined} map @param {string} key @returns {Schema | undefined} */
function own(map, key) {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}
