// Decides which columns of a collection the small tables beside the chat show, and how.

import { isOfTheService, singularOf, titleColumn, wordOf, writableColumns } from './collections.js';

/**
 * @typedef {import('./collections.js').Collection} Collection
 * @typedef {import('./collections.js').Column} SchemaColumn
 * @typedef {import('./record-cells.js').Column} Column
 * @typedef {{schema: Collection, name: string, title: string, singular: string, titleName: string, canAdd: boolean, columns: Column[]}} TableKind
 *   `canAdd`: whether a record needs only a title
 */

/** @param {Collection[]} collections @returns {TableKind[]} a table for each collection of the app */
export function tablesOf(collections) {
  return collections.filter((one) => !isOfTheService(one)).map(tableOf);
}

/** @param {Collection} schema @returns {TableKind} */
function tableOf(schema) {
  const title = titleColumn(schema);
  const needed = writableColumns(schema).filter(({ required }) => required);
  const canAdd = Boolean(schema.permissions.create && title && !title.readOnly && needed.every((column) => column === title));
  return {
    schema,
    name: schema.name,
    title: wordOf(schema.name),
    singular: singularOf(schema.name),
    titleName: title?.name ?? '',
    canAdd,
    columns: columnsOf(schema, title).map((column) => cellColumn(schema, column, column === title)),
  };
}

/** At most three columns: a boolean one, the title, and one more. @param {Collection} schema @param {SchemaColumn | undefined} title */
function columnsOf({ columns, owner }, title) {
  const flag = columns.find(({ type }) => type === 'boolean');
  const rest = columns.filter((column) => column !== title && column !== flag && column.name !== owner && !/Id$/.test(column.name));
  const more = ['datetime', 'string', 'number', 'integer'].map((type) => rest.find((column) => column.type === type)).find(Boolean);
  return [flag, title, more].filter((column) => column !== undefined);
}

/** @param {Collection} schema @param {SchemaColumn} column @param {boolean} isTitle @returns {Column} */
function cellColumn({ permissions }, column, isTitle) {
  const kinds = { boolean: /** @type {const} */ ('flag'), datetime: /** @type {const} */ ('moment') };
  const kind = kinds[/** @type {keyof typeof kinds} */ (column.type)] ?? 'text';
  const isFixed = column.readOnly || !permissions.update;
  return { ...column, label: wordOf(column.name), kind: isFixed ? 'fixed' : kind, isTitle };
}
