// A short description of the values that a schema allows.

/** @typedef {import('./schema-fields.js').Field} Field */

/** @type {Record<string, string>} by format */
const FORMATS = {
  date: 'date: 2026-12-01',
  'date-time': 'time: 2026-12-01T09:00:00Z',
  uri: 'web address',
  email: 'email address',
};
const LONG = 200; // characters that fit into one line
const HUGE = 2 ** 31 - 1; // a limit that only says how a number is stored

/** @param {Field} field @returns {string} such as "whole number, 1 to 100, default 20" */
export function factsOf(field) {
  const { schema } = field;
  const isDefault = 'default' in schema && field.kind !== 'choice' && field.kind !== 'boolean';
  return [
    typeOf(field),
    field.kind === 'number' ? range(schema.minimum, schema.maximum < HUGE ? schema.maximum : undefined) : '',
    field.kind === 'list' ? counted(schema.minItems, schema.maxItems, 'item') : '',
    field.kind === 'text' ? length(schema) : '',
    isDefault && `default ${typeof schema.default === 'string' ? schema.default : JSON.stringify(schema.default)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** @param {Field} field */
function typeOf({ kind, schema }) {
  if (kind === 'number') return schema.type === 'integer' ? 'whole number' : 'number';
  if (kind === 'json') return 'JSON';
  if (kind !== 'text') return '';
  if (schema.contentEncoding) return String(schema.contentEncoding);
  return FORMATS[schema.format] ?? '';
}

/** Long limits protect the server; they would not help the user, so they are not shown. @param {any} schema */
function length({ minLength, maxLength }) {
  if (maxLength > LONG && !(minLength > 1)) return '';
  return counted(minLength > 1 ? minLength : undefined, maxLength, 'character');
}

/** @param {number | undefined} least @param {number | undefined} most @param {string} thing */
function counted(least, most, thing) {
  const text = range(least || undefined, most);
  return text && `${text} ${thing}${text.endsWith(' 1') || text === '1' ? '' : 's'}`;
}

/** @param {number | undefined} least @param {number | undefined} most */
function range(least, most) {
  if (least === undefined && most === undefined) return '';
  if (least === undefined) return `at most ${most}`;
  if (most === undefined) return `at least ${least}`;
  return least === most ? String(least) : `${least} to ${most}`;
}

/** Whether a text may have several lines. @param {Field} field */
export function isLong({ kind, schema }) {
  const isOpen = !schema.pattern && !schema.format;
  return kind === 'text' && isOpen && !(schema.maxLength <= LONG * 2);
}

/** The label of the empty choice of a field. @param {Field} field */
export function emptyChoice({ schema, required }) {
  if ('default' in schema) return `${optionWord(schema.default)} (default)`;
  return required ? 'Choose…' : 'Not set';
}

/** @param {any} value */
export function optionWord(value) {
  if (value === true) return 'yes';
  return value === false ? 'no' : String(value);
}
