// Builds a reply from its actions while it is being received. Pure: the same actions always give the same reply.

import { NO_OUTPUT } from '../calls/call-states.js';
import { withoutQuestions } from './question-parts.js';

/**
 * @typedef {{kind: 'text', id: string, text: string}} TextPart
 * @typedef {'preparing' | 'running' | 'done' | 'input-refused' | 'failed'} CallState
 * @typedef {{kind: 'call', id: string, name: string, state: CallState, inputText: string,
 *   input?: any, output?: any, message?: string}} CallPart
 * @typedef {import('./question-parts.js').QuestionPart} QuestionPart
 * @typedef {TextPart | CallPart | QuestionPart} Part
 * @typedef {{parts: Part[], state: 'streaming' | 'aborted' | 'failed', message: string}} Reply
 * @typedef {import('./chat-actions.js').Action} Action
 */

/** @type {Reply} */
export const EMPTY_REPLY = { parts: [], state: 'streaming', message: '' };

/** @param {Reply} reply @param {Action} action @returns {Reply} */
export function reduce(reply, action) {
  switch (action.type) {
    case 'append-text':
      return { ...reply, parts: withText(reply.parts, action.textId, action.delta) };
    case 'upsert-tool-call':
      return withCall(reply, action.callId, (call) => upsert(call, action));
    case 'finalize-tool-call':
      return withCall(reply, action.callId, (call) => ({
        ...call, state: 'done', output: action.output,
      }));
    case 'fail-tool-input':
      return withCall(reply, action.callId, (call) => ({
        ...call, name: action.name, state: 'input-refused', input: action.input,
        message: action.message,
      }));
    case 'fail-tool-output':
      // Servers of the AI SDK report a refused input a second time as a failed output; the call stays refused.
      return withCall(reply, action.callId, (call) =>
        call.state === 'input-refused' ? call : { ...call, state: 'failed', message: action.message });
    case 'ask-user':
      return { ...reply, parts: withQuestion(reply.parts, action.part) };
    case 'stream-error':
      return { ...reply, state: 'failed', message: action.message };
    case 'abort':
      return { ...reply, state: 'aborted' };
    default:
      throw new TypeError(`no such action: ${/** @type {any} */ (action).type}`);
  }
}

/** A reply that has failed. None of its calls is shown as running, and none of its questions can be answered. @param {Reply} reply @returns {Reply} */
export function asFailed(reply) {
  const parts = withoutQuestions(reply.parts).map((part) =>
    part.kind === 'call' && (part.state === 'preparing' || part.state === 'running')
      ? { ...part, state: /** @type {const} */ ('failed'), message: NO_OUTPUT }
      : part);
  return { ...reply, parts, state: 'failed' };
}

/** @param {Part[]} parts @param {string} id @param {string} delta @returns {Part[]} */
function withText(parts, id, delta) {
  const last = parts.findLastIndex((part) => part.kind === 'text' && part.id === id);
  if (last < 0) return [...parts, { kind: 'text', id, text: delta }];
  const part = /** @type {TextPart} */ (parts[last]);
  return replaceAt(parts, last, { ...part, text: part.text + delta });
}

/** A part with the same kind and id is replaced, as in the AI SDK. @param {Part[]} parts @param {QuestionPart} part */
function withQuestion(parts, part) {
  const place = parts.findIndex(({ kind, id }) => kind === part.kind && id === part.id);
  return place < 0 ? [...parts, part] : replaceAt(parts, place, part);
}

/** @param {Reply} reply @param {string} id @param {(call: CallPart) => CallPart} change */
function withCall(reply, id, change) {
  const place = reply.parts.findIndex((part) => part.kind === 'call' && part.id === id);
  const call = /** @type {CallPart} */ (
    reply.parts[place] ?? { kind: 'call', id, name: '', state: 'preparing', inputText: '' }
  );
  const changed = change(call);
  const parts = place < 0 ? [...reply.parts, changed] : replaceAt(reply.parts, place, changed);
  return { ...reply, parts };
}

/** @param {CallPart} call @param {Extract<Action, {type: 'upsert-tool-call'}>} action */
function upsert(call, action) {
  /** @type {CallPart} */
  const next = { ...call, name: action.name ?? call.name };
  if (action.inputDelta !== undefined) next.inputText += action.inputDelta;
  if (action.input !== undefined) Object.assign(next, { state: 'running', input: action.input });
  return next;
}

/** @param {Part[]} parts @param {number} at @param {Part} part */
function replaceAt(parts, at, part) {
  return parts.map((old, place) => (place === at ? part : old));
}
