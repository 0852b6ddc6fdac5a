// Undoes the changes of a turn: asks for confirmation first, and says afterwards which changes could not be undone.

import { quantityWords } from '../calls/value-words.js';
import { nounsOf } from '../calls/record-words.js';
import { requestConfirmation } from '../page/confirm-dialog.js';
import { ApiError, errorText } from '../shared/errors.js';

/**
 * @typedef {import('./chat-reducer.js').CallPart} CallPart
 * @typedef {{collection: string, recordId: string, reason?: string}} Listed
 * @typedef {{isOver: boolean, lines: string[]}} UndoOutcome `isOver` if the changes can't be undone again
 */

const VERBS = new Map([
  ['records.create', 'created'],
  ['records.update', 'changed'],
  ['records.delete', 'deleted'],
]);

/** @type {Set<string>} turns that are being undone: the answer to a second request would hide the answer to the first */
const running = new Set();

/**
 * @param {string} turnId @param {CallPart[]} writes of the turn
 * @param {import('../shared/api-transport.js').Transport} transport
 * @returns {Promise<UndoOutcome | null>} null if the user has canceled, or an earlier request is still running
 */
export async function undoTurn(turnId, writes, transport) {
  if (running.has(turnId)) return null;
  const text = `${changesIn(writes)} Records that nobody has changed since become as they were before this reply. You can undo a reply only once.`;
  if (!(await requestConfirmation({ title: 'Undo these changes?', text, action: 'Undo changes' }))) return null;
  running.add(turnId);
  const outcome = await requestUndo(turnId, transport); // never throws
  running.delete(turnId);
  return outcome;
}

/** @param {string} turnId @param {Pick<import('../shared/api-transport.js').Transport, 'post'>} transport @returns {Promise<UndoOutcome>} */
export async function requestUndo(turnId, transport) {
  try {
    return { isOver: true, lines: outcomeOf(await transport.post(`/api/ai/turns/${encodeURIComponent(turnId)}/undo`)) };
  } catch (error) {
    const isOver = error instanceof ApiError && error.status === 409 && error.retryAfter === null;
    return { isOver, lines: [errorText(error)] };
  }
}

/** @param {CallPart[]} writes @returns {string} "The assistant has created 2 tasks and deleted 1 note." */
export function changesIn(writes) {
  const counts = countBy(writes, ({ name, input }) => `${VERBS.get(name)} ${input?.collection}`);
  const phrases = [...counts].map(([key, count]) => {
    const [verb, collection] = key.split(' ');
    return `${verb} ${records(collection, count)}`;
  });
  return `The assistant has ${joinWords(phrases)}.`;
}

/** @param {{undone: Listed[], conflicts: Listed[]}} answer @returns {string[]} sentences */
export function outcomeOf({ undone, conflicts }) {
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
  const { one, many } = collection === 'integrations' ? { one: 'call of an endpoint', many: 'calls of endpoints' } : nounsOf(collection);
  return quantityWords(count, one, many);
}

/** @param {string[]} parts */
function joinWords(parts) {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
