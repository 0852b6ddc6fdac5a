// Shows the answers of calls for people: the records that they have created or read, a table, or named values.

import { element } from '../shared/elements.js';
import { tableIn } from '../integrations/answer-shape.js';
import { dataOf } from './endpoint-sentences.js';
import { createResultTable } from './result-table.js';
import { createValueList } from './value-list.js';

/** @typedef {import('./call-groups.js').CallPart} CallPart */

const OWNERS = ['userId']; // columns that are of no use to the owner of a record
const WHOLE = 12; // most values of an object that is shown as a list

/** @param {CallPart[]} calls of one kind, all done @returns {HTMLElement | null} null if the answers are best shown as JSON */
export function createResult(calls) {
  if (!calls.length) return null;
  const records = calls.flatMap(recordsOf);
  if (records.length === 1) return createValueList(records[0]);
  if (records.length) return tableOf(records, 'records');
  if (calls.length > 1 || calls[0].name.startsWith('records.')) return null;
  const { data } = dataOf(calls[0]);
  const names = Object.values(data);
  if (names.length === 1 && isTexts(names[0])) return createNames(names[0]);
  const table = tableIn(data);
  if (table) return createResultTable(table);
  return isFlat(data) ? createValueList(data) : null;
}

/** @param {CallPart} call @returns {Record<string, any>[]} the data of the records in its answer */
function recordsOf({ name, output }) {
  if (!name.startsWith('records.')) return [];
  const all = Array.isArray(output?.records) ? output.records : [output];
  const own = (/** @type {[string, any]} */ [column]) => !OWNERS.includes(column);
  return all.filter((/** @type {any} */ one) => one?.data).map((/** @type {any} */ { data }) => Object.fromEntries(Object.entries(data).filter(own)));
}

/** @param {Record<string, any>[]} items @param {string} title */
function tableOf(items, title) {
  const table = tableIn({ [title]: items });
  return table && createResultTable(table);
}

/** @param {any} value @returns {value is string[]} */
function isTexts(value) {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

/** @param {string[]} names */
function createNames(names) {
  return element('ul', { class: 'call-names' }, ...names.map((name) => element('li', {}, name)));
}

/** @param {Record<string, any>} data */
function isFlat(data) {
  const values = Object.values(data);
  return values.length > 0 && values.length <= WHOLE && values.every((value) => typeof value !== 'object' || value === null);
}
