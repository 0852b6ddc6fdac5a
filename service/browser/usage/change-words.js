// Describes the changes of the assistant: "Changed the task “Write”", "done: no → yes". Does not use the DOM.
// @ts-check

import { columnOf, nounsOf, titleIn } from '../calls/record-words.js';
import { CALLS, writesOf } from '../calls/turn-undo.js';
import { quantityWords, quote, valueInWords } from '../calls/value-words.js';
import { withArticle } from '../shared/words.js';

/**
 * @typedef {object} Change an entry of the journal
 * @property {string} turnId
 * @property {string} tool
 * @property {string} collection
 * @property {string} recordId
 * @property {'added' | 'updated' | 'removed' | 'called' | 'left'} outcome `left`: a call whose outcome is not known
 * @property {{data: Record<string, any>} | null} before
 * @property {Record<string, any> | null} changes
 * @property {boolean} undone
 * @property {string} createdAt
 *
 * @typedef {{turnId: string, createdAt: string, undone: boolean, changes: Change[]}} Group the changes of a turn
 */

const VERBS = { added: 'Created', updated: 'Changed', removed: 'Deleted', called: 'Called', left: 'May have called' };
const SILENT = ['userId', 'chatId'];

/** @param {Change} change @returns {string} */
export function sentenceOf({ outcome, collection, recordId, before, changes }) {
  if (outcome === 'left') return `${VERBS.left} ${recordId}: how it ended is not known`;
  if (collection === CALLS) return `${VERBS[outcome]} ${recordId}`;
  const { one } = nounsOf(collection);
  const title = titleIn(before?.data) || titleIn(changes ?? undefined);
  return `${VERBS[outcome]} ${title ? `the ${one} ${quote(title)}` : withArticle(one)}`;
}

/**
 * The changed values of a change, column by column.
 * @param {Change} change
 * @returns {{name: string, before: string | null, after: string}[]} `before` is null in a new record, and if both values look the same
 */
export function stepsOf({ outcome, collection, before, changes }) {
  if (outcome === 'removed' || !changes) return [];
  const title = outcome === 'added' ? titleIn(changes) : ''; // left out, because the sentence has it
  const names = Object.keys(changes).filter((name) => !SILENT.includes(name) && (!title || changes[name] !== title));
  return names.map((name) => {
    const { label, read } = columnOf(collection, name);
    const [old, after] = [before?.data[name], changes[name]].map((value) => storedInWords(read(value)));
    if (outcome === 'added') return { name: label, before: null, after };
    return old === after ? { name: label, before: null, after: 'changed' } : { name: label, before: old, after };
  });
}

/** @param {any} value */
function storedInWords(value) {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isObject ? quantityWords(Object.keys(value).length, 'field') : valueInWords(value);
}

/** @param {Change[]} changes newest first @returns {Group[]} newest first, each in the order of its changes */
export function groupsOf(changes) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const change of changes) {
    const known = groups.get(change.turnId);
    if (known) known.changes.unshift(change);
    else groups.set(change.turnId, { turnId: change.turnId, createdAt: change.createdAt, undone: change.undone, changes: [change] });
  }
  return [...groups.values()];
}

/** Whether something in a group can be undone. @param {Group} group */
export function canBeUndone({ changes, undone }) {
  return !undone && writesOf(changes).length > 0;
}

/** How many records a turn has changed, and how many endpoints it has called. @param {Change[]} changes */
export function countInWords(changes) {
  const calls = changes.filter(({ collection }) => collection === CALLS).length;
  const counts = [[changes.length - calls, 'change'], [calls, 'call']].filter(([count]) => count);
  return counts.map(([count, noun]) => quantityWords(Number(count), String(noun))).join(', ');
}
