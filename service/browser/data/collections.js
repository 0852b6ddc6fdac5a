// The collections that the user may read, as described by the server, and words for them and their columns.

import { readOnce } from '../page/readings.js';
import { findDoubtfulNumber } from '../shared/exact-numbers.js';
import { nameInWords, singularOf as singularOfWords } from '../shared/words.js';

/**
 * @typedef {'string' | 'number' | 'integer' | 'boolean' | 'datetime' | 'array' | 'object'} ColumnType
 * @typedef {{name: string, type: ColumnType, required: boolean, readOnly: boolean}} Column
 * @typedef {'read' | 'create' | 'update' | 'delete'} Action
 * @typedef {{name: string, owner: string, columns: Column[], permissions: Record<Action, boolean | 'own'>}} Collection
 * @typedef {import('../shared/live-rows.js').Row} Row
 */

const OF_THE_SERVICE = /^(ai-|users$|canvases$|integration-)/;
const TITLES = ['title', 'name', 'subject', 'label', 'email', 'content', 'text', 'endpoint'];
const OUTCOMES = ['status', 'error', 'credits', 'ms', 'durationMs'];
const MOST = 100; // characters of a title
const JSON_TYPES = ['array', 'object'];

/** @type {Column[]} columns that every collection has */
export const TIMES = [
  { name: 'createdAt', type: 'datetime', required: true, readOnly: true },
  { name: 'updatedAt', type: 'datetime', required: true, readOnly: true },
];

/** @param {import('../shared/api-transport.js').Transport} transport @returns {Promise<Collection[]>} */
export async function readCollections(transport) {
  return (await readOnce(transport, '/api/records')).collections;
}

/** Whether a collection belongs to the service, not to the app. @param {Collection} collection */
export function isOfTheService({ name }) {
  return OF_THE_SERVICE.test(name);
}

/** @param {string} name "userMessageId", "ai-chats" @returns {string} "User message id", "AI chats" */
export function wordOf(name) {
  if (name === 'createdAt') return 'Created';
  if (name === 'updatedAt') return 'Changed';
  const words = nameInWords(name);
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/^Ai\b/, 'AI');
}

/** @param {string} name "tasks" @returns {string} "task" */
export function singularOf(name) {
  const word = wordOf(name).replace(/^(?!AI\b)./, (first) => first.toLowerCase());
  const one = singularOfWords(word);
  return one === word ? `record of ${word}` : one;
}

/** @param {Column} column */
export function isJson({ type }) {
  return JSON_TYPES.includes(type);
}

/** The column that names a record. @param {Collection} collection @returns {Column | undefined} */
export function titleColumn({ columns, owner }) {
  const texts = columns.filter(({ name, type }) => type === 'string' && name !== owner);
  const named = TITLES.map((title) => texts.find(({ name }) => name === title)).find(Boolean);
  return named ?? texts.find(({ name }) => !/Id$/.test(name)) ?? texts[0];
}

/** @param {Collection} collection @param {Row} row */
export function titleOf(collection, row) {
  const column = titleColumn(collection);
  return beginningOf(String((column && row.data[column.name]) || row.recordId), MOST);
}

/** The beginning of a text, without half of a character that takes two code units. @param {string} text @param {number} most code units */
export function beginningOf(text, most) {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
}

/** The columns: the title first, ids after the others, and the owner last, if the user can also read records of others. @param {Collection} collection @returns {Column[]} */
export function recordColumns(collection) {
  const { columns, owner, permissions } = collection;
  const title = titleColumn(collection);
  const rest = columns.filter((column) => column !== title && column.name !== owner);
  const owners = columns.filter(({ name }) => name === owner && permissions.read === true);
  const [ids, facts] = [true, false].map((isId) => rest.filter(({ name }) => /Id$/.test(name) === isId));
  return [...(title ? [title] : []), ...facts, ...ids, ...owners];
}

/** For collections of the service, the columns with outcomes come after the title. @param {Collection} collection @returns {Column[]} the columns of a table */
export function tableColumns(collection) {
  const columns = recordColumns(collection);
  if (!isOfTheService(collection)) return [...columns, TIMES[1]];
  const [title, ...rest] = columns;
  const [outcomes, others] = [true, false].map((isOutcome) => rest.filter(({ name }) => OUTCOMES.includes(name) === isOutcome));
  return [title, ...outcomes, TIMES[1], ...others];
}

/** @param {Collection} collection @returns {Column[]} the columns that a user can write */
export function writableColumns({ columns }) {
  return columns.filter(({ readOnly }) => !readOnly);
}

/** @param {Collection} collection @param {Row} row @returns {string | undefined} the subject that owns the record */
function ownerOf({ owner }, row) {
  return owner === 'recordId' ? row.recordId : row.data[owner];
}

/** @param {Collection} collection @param {Row} row @param {string} subject @param {'update' | 'delete'} action */
export function mayDo(collection, row, subject, action) {
  const rule = collection.permissions[action];
  return rule === true || (rule === 'own' && ownerOf(collection, row) === subject);
}

/**
 * Whether a deleted record can be created again with the same data, except for its id and its times.
 * @param {Collection} collection @param {Row} row @param {string} subject
 */
export function canCreateAgain(collection, row, subject) {
  if (!collection.permissions.create || ownerOf(collection, row) !== subject) return false;
  if (findDoubtfulNumber(row.data) !== undefined) return false; // this page may have changed a large number when it read the record
  return collection.columns.every(({ name, readOnly }) => !readOnly || name === collection.owner || row.data[name] === undefined);
}

/** @param {Collection} collection @param {Row} row of which only the writable columns are returned */
export function writableData(collection, row) {
  const filled = writableColumns(collection).filter(({ name }) => row.data[name] !== undefined);
  return Object.fromEntries(filled.map(({ name }) => [name, row.data[name]]));
}
