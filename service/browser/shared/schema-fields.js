// Turns a JSON Schema into the fields of a form. A schema that it does not support becomes a field for JSON text.
// Nothing here validates values; the server does.

/**
 * @typedef {Record<string, any>} JsonSchema
 *
 * @typedef {object} Field
 * @property {'text' | 'number' | 'boolean' | 'choice' | 'list' | 'group' | 'variants' | 'json'} kind
 * @property {string} name of the property; '' for the whole form, for items and for variants
 * @property {string} title of a variant; '' for none
 * @property {string} about the description
 * @property {boolean} required
 * @property {boolean} nullable
 * @property {JsonSchema} schema with its limits: length, range, format
 * @property {any[]} options of a choice
 * @property {Field[]} fields of a group, the required ones first
 * @property {Field[]} variants
 * @property {Field | null} item of a list
 */

const SCALARS = ['string', 'number', 'boolean'];
const UNKNOWN = ['$ref', 'allOf', 'not', 'if', 'patternProperties', 'prefixItems'];
const TYPE_TITLES = new Map([
  ['string', 'Text'],
  ['number', 'Number'],
  ['integer', 'Whole number'],
  ['boolean', 'Yes or no'],
  ['array', 'List'],
  ['object', 'Object'],
]);

/**
 * @param {JsonSchema} schema
 * @param {{name?: string, required?: boolean}} [place] the field's place in its group
 * @returns {Field}
 */
export function fieldOf(schema, { name = '', required = false } = {}) {
  const { rest, nullable } = withoutNull(isObject(schema) ? schema : {});
  const about = String(rest.description ?? '');
  const title = String(rest.title ?? '');
  const empty = { options: [], fields: [], variants: [], item: null };
  return { name, title, about, required, nullable, schema: rest, ...empty, ...contentOf(rest) };
}

/** @param {JsonSchema} schema @returns {Pick<Field, 'kind'> & Partial<Field>} */
function contentOf(schema) {
  const options = 'const' in schema ? [schema.const] : schema.enum;
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (UNKNOWN.some((key) => key in schema)) return { kind: 'json' };
  if (Array.isArray(options)) return options.every(isScalar) ? { kind: 'choice', options } : { kind: 'json' };
  if (Array.isArray(alternatives) && schema.type === 'string' && alternatives.every(isText)) return { kind: 'text' };
  if (Array.isArray(alternatives)) return { kind: 'variants', variants: alternatives.map(variantOf) };
  if (Array.isArray(schema.type)) {
    return { kind: 'variants', variants: schema.type.map((type) => variantOf({ ...schema, type, description: '' })) };
  }
  if (schema.type === 'string') return { kind: 'text' };
  if (schema.type === 'number' || schema.type === 'integer') return { kind: 'number' };
  if (schema.type === 'boolean') return { kind: 'boolean' };
  if (schema.type === 'array' && isObject(schema.items)) return { kind: 'list', item: fieldOf(schema.items) };
  if (schema.type === 'object' && isObject(schema.properties)) return { kind: 'group', fields: fieldsOf(schema) };
  return { kind: 'json' };
}

/** Whether an alternative of a text is any text of some form, such as an address. @param {JsonSchema} schema */
function isText(schema) {
  return schema?.type === 'string' && !('enum' in schema) && !('const' in schema);
}

/** @param {JsonSchema} schema of an object */
function fieldsOf(schema) {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    fieldOf(property, { name, required: required.has(name) }),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** @param {JsonSchema} schema @returns {Field} */
function variantOf(schema) {
  const field = fieldOf(schema, { required: true });
  return { ...field, title: field.title || (TYPE_TITLES.get(field.schema.type) ?? 'JSON') };
}

/**
 * The schema without the part that allows null, and whether there was such a part.
 * @param {JsonSchema} schema @returns {{rest: JsonSchema, nullable: boolean}}
 */
function withoutNull(schema) {
  const rest = { ...schema };
  if (Array.isArray(rest.type)) rest.type = single(rest.type.filter((type) => type !== 'null'));
  if (Array.isArray(rest.enum)) rest.enum = rest.enum.filter((value) => value !== null);
  for (const key of ['oneOf', 'anyOf']) {
    if (!Array.isArray(rest[key])) continue;
    const others = rest[key].filter((one) => one?.type !== 'null');
    const isMore = others.length > 1;
    const shortened = isMore ? { [key]: others } : others[0];
    if (others.length < rest[key].length || !isMore) {
      delete rest[key];
      Object.assign(rest, { ...shortened, ...descriptionOf(rest) });
    }
  }
  return { rest, nullable: allowsNull(schema) };
}

/** @param {JsonSchema} schema its own title and description, which win over those of its only variant */
function descriptionOf({ title, description }) {
  return { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
}

/** @param {JsonSchema} schema */
function allowsNull({ type, enum: values, oneOf, anyOf }) {
  const isOpen = [type].flat().includes('null') || [...(oneOf ?? []), ...(anyOf ?? [])].some((one) => one?.type === 'null');
  return isOpen || (Array.isArray(values) && values.includes(null));
}

/** @param {any[]} items @returns {any} the item itself if there is only one */
function single(items) {
  return items.length === 1 ? items[0] : items;
}

/** @param {unknown} value */
function isScalar(value) {
  return SCALARS.includes(typeof value);
}

/** @param {unknown} value @returns {value is Record<string, any>} */
export function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
