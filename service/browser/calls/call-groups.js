// Turns the parts of a reply into the blocks that are shown: adjacent calls of one kind become one group.

import { NOT_RUN } from './call-states.js';

/**
 * @typedef {import('../chat/chat-reducer.js').Part} Part
 * @typedef {import('../chat/chat-reducer.js').CallPart} CallPart
 * @typedef {import('../chat/question-parts.js').QuestionPart} QuestionPart
 * @typedef {Map<string, Record<string, any>>} Known the data of records that the reply has read, by id
 * @typedef {{kind: 'calls', id: string, calls: CallPart[], known: Known, waits: boolean}} CallGroup
 *   `waits` is true while all calls of the group wait for the user
 * @typedef {Exclude<Part, CallPart> | CallGroup} Block
 */

/** @param {readonly Part[]} parts @returns {Block[]} */
export function blocksOf(parts) {
  const questions = parts.filter((part) => part.kind === 'approval' || part.kind === 'consent');
  const asking = new Set(questions.filter(({ data }) => data.state === 'asked').map(({ data }) => data.toolCallId));
  /** @type {Block[]} */
  const blocks = [];
  /** @type {Known} */
  let known = new Map();
  for (const part of parts) {
    const last = blocks.at(-1);
    if (part.kind === 'text') blocks.push(part);
    else if (part.kind !== 'call') blocks.splice(placeOf(part, blocks), 0, withEnding(part, parts));
    else if (last?.kind === 'calls' && isAlike(last.calls[0], part)) last.calls.push(part);
    else blocks.push({ kind: 'calls', id: part.id, calls: [part], known, waits: false });
    if (part.kind === 'call') known = withRecordsOf(part, known);
  }
  for (const block of blocks) if (block.kind === 'calls') block.waits = block.calls.every(({ id }) => asking.has(id));
  return blocks;
}

/** The place of a question: below its call, even if other calls have begun since. @param {QuestionPart} part @param {Block[]} blocks */
function placeOf({ data }, blocks) {
  const own = blocks.findIndex((block) => block.kind === 'calls' && block.calls.some(({ id }) => id === data.toolCallId));
  if (own < 0) return blocks.length;
  const next = blocks.findIndex(({ kind }, at) => at > own && kind !== 'approval' && kind !== 'consent');
  return next < 0 ? blocks.length : next;
}

/**
 * A question with the state 'ended' if its reply ended before anybody answered. The stored state does not show this.
 * @param {QuestionPart} part @param {readonly Part[]} parts @returns {QuestionPart}
 */
function withEnding(part, parts) {
  if (part.data.state !== 'expired') return part;
  const call = parts.find(({ kind, id }) => kind === 'call' && id === part.data.toolCallId);
  const isCut = call?.kind === 'call' && NOT_RUN.includes(call.message ?? '');
  return isCut ? /** @type {QuestionPart} */ ({ ...part, data: { ...part.data, state: 'ended' } }) : part;
}

/** @param {CallPart} one @param {CallPart} other */
function isAlike(one, other) {
  if (one.name !== other.name) return false;
  const [target, otherTarget] = [targetOf(one), targetOf(other)];
  return target === otherTarget || (other.state === 'preparing' && !otherTarget);
}

/** The collection or the endpoint that a call is for, as soon as it is known. @param {CallPart} call @returns {string} */
export function targetOf({ input, inputText }) {
  const target = input?.collection ?? input?.endpoint;
  if (typeof target === 'string') return target;
  return input === undefined ? (inputText.match(/"(?:collection|endpoint)"\s*:\s*"([^"\\]+)"/)?.[1] ?? '') : '';
}

/** @param {CallPart} call @param {Known} known @returns {Known} */
function withRecordsOf({ name, state, output }, known) {
  if (state !== 'done' || !name.startsWith('records.')) return known;
  const records = Array.isArray(output?.records) ? output.records : [output];
  const readable = records.filter((/** @type {any} */ one) => one?.recordId && one.data);
  return readable.length ? new Map([...known, ...readable.map((/** @type {any} */ one) => [one.recordId, one.data])]) : known;
}
