// Undoes the changes of a turn: asks for confirmation first, and says afterwards which changes could not be undone.

import { quantityWords } from './value-words.js';
import { nounsOf } from './record-words.js';
import { requestConfirmation } from '../page/confirm-dialog.js';
import { ApiError, errorText } from '../shared/errors.js';

/**
 * @typedef {{verb: 'created' | 'changed' | 'deleted', collection: string}} Write a change of one record by the assistant
 * @typedef {{collection: string, recordId: string}} Undone
 * @typedef {Undone & {reason: string}} Conflict a change that was not undone
 *
 * @typedef {object} UndoOutcome
 * @property {boolean} isOver whether the changes can't be undone again
 * @property {string[]} lines sentences about all that was undone, and all that was not
 * @property {Conflict[]} conflicts
 */

/** Stands for a collection in the journal; the record's id is then the name of an endpoint. */
export const CALLS = 'integrations';
/** @type {Map<string, Write['verb']>} by outcome */
const VERBS = new Map([['added', 'created'], ['updated', 'changed'], ['removed', 'deleted']]);

/** @type {Set<string>} turns whose undo is being confirmed or is running: the answer to a second request would hide the answer to the first */
const running = new Set();

/**
 * @param {string} turnId @param {string} changes sentences that say what the turn has changed
 * @param {import('../shared/api-transport.js').Transport} transport
 * @returns {Promise<UndoOutcome | null>} null if the user has canceled, or an earlier undo of the turn is not over
 */
export async function undoTurn(turnId, changes, transport) {
  if (running.has(turnId)) return null;
  running.add(turnId);
  const text = `${changes} Records that nobody has changed since become as they were before this reply. You can undo a reply only once.`;
  const isConfirmed = await requestConfirmation({ title: 'Undo these changes?', text, action: 'Undo changes' });
  const outcome = isConfirmed ? await requestUndo(turnId, transport) : null; // neither throws
  running.delete(turnId);
  return outcome;
}

/** @param {string} turnId @param {Pick<import('../shared/api-transport.js').Transport, 'post'>} transport @returns {Promise<UndoOutcome>} */
export async function requestUndo(turnId, transport) {
  try {
    const answer = await transport.post(`/api/ai/turns/${encodeURIComponent(turnId)}/undo`);
    return { isOver: true, lines: linesOf(answer), conflicts: answer.conflicts };
  } catch (error) {
    const isOver = error instanceof ApiError && error.status === 409 && error.retryAfter === null;
    return { isOver, lines: [errorText(error)], conflicts: [] };
  }
}

/** @param {{outcome: string, collection: string}[]} entries of the journal @returns {Write[]} the changes of records */
export function writesOf(entries) {
  return entries.flatMap(({ outcome, collection }) => {
    const verb = collection === CALLS ? undefined : VERBS.get(outcome);
    return verb ? [{ verb, collection }] : [];
  });
}

/** @param {Write[]} writes @returns {string} "The assistant has created 2 tasks and deleted 1 note." */
export function changesIn(writes) {
  const counts = countBy(writes, ({ verb, collection }) => `${verb} ${collection}`);
  const phrases = [...counts].map(([key, count]) => {
    const [verb, collection] = key.split(' ');
    return `${verb} ${records(collection, count)}`;
  });
  return `The assistant has ${joinWords(phrases)}.`;
}

/** @param {{undone: Undone[], conflicts: Conflict[]}} answer @returns {string[]} the first sentence says what was undone */
export function linesOf({ undone, conflicts }) {
  const back = [...countBy(undone, ({ collection }) => collection)].map(([name, count]) => records(name, count));
  const first = back.length ? `Undone: ${joinWords(back)}.` : 'Nothing was undone.';
  const left = [...countBy(conflicts, ({ collection, reason }) => `${collection} ${reason}`)].map(([key, count]) => {
    const [collection, ...reason] = key.split(' ');
    return `Left as before: ${records(collection, count)}. ${reason.join(' ')}`;
  });
  return [first, ...left];
}

/** @template T @param {T[]} items @param {(item: T) => string} key @returns {Map<string, number>} */
function countBy(items, key) {
  const counts = new Map();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

/** @param {string} collection @param {number} count */
function records(collection, count) {
  const { one, many } = collection === CALLS ? { one: 'call of an endpoint', many: 'calls of endpoints' } : nounsOf(collection);
  return quantityWords(count, one, many);
}

/** @param {string[]} parts */
function joinWords(parts) {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
