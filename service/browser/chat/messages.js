// Converts stored records into the messages of the transcript.

import { questionOf, withoutQuestions } from './question-parts.js';

/**
 * @typedef {import('./chat-reducer.js').Part} Part
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {{id: string, role: 'user' | 'assistant', text: string, parts: Part[], key?: string}}
 *   Message `key` identifies a message on the screen whose id may still change
 */

/** @param {Row[]} records of `ai-messages`, oldest first @returns {Message[]} */
export function messagesOf(records) {
  const messages = records.map(messageOf);
  return messages.map((message, at) => {
    const previous = messages[at - 1];
    const answers = message.role === 'assistant' && previous?.role === 'user';
    return answers ? { ...message, key: keyOfReply(previous) } : message;
  });
}

/** @param {Row} record @returns {Message} */
function messageOf({ recordId, data }) {
  const stored = data.parts?.length ? data.parts : [{ type: 'text', text: data.content }];
  /** @type {Part[]} */
  const parts = stored.flatMap((/** @type {any} */ part, /** @type {number} */ place) =>
    partsOf(part, `${recordId}:${place}`),
  );
  return { id: recordId, role: data.role, text: data.content, parts: withoutQuestions(parts) };
}

/** @param {any} part in the form of the AI SDK 5 @param {string} id @returns {Part[]} */
function partsOf(part, id) {
  if (part.type === 'text') return part.text ? [{ kind: 'text', id, text: part.text }] : [];
  const question = questionOf(part);
  if (question) return [question];
  if (!part.type.startsWith('tool-')) return []; // step-start
  const name = part.type.slice('tool-'.length);
  const input = part.input ?? part.rawInput;
  const kind = /** @type {const} */ ('call');
  const call = { kind, id: part.toolCallId, name, inputText: '', input };
  if (part.state === 'output-available') return [{ ...call, state: 'done', output: part.output }];
  const state = 'rawInput' in part ? 'input-refused' : 'failed';
  return [{ ...call, state, message: part.errorText }];
}

/**
 * The messages that stay when a question is answered: those before the stored message with its id, or all.
 * @param {Message[]} messages @param {Message} question
 */
export function messagesBefore(messages, question) {
  const at = messages.findIndex(({ id }) => id === question.id);
  return at < 0 ? messages : messages.slice(0, at);
}

/** Whether a question is stored with this text; an older text of the same message does not count. @param {Message[]} messages @param {{id: string, text: string}} question */
export function hasMessage(messages, question) {
  return messages.some(({ id, text }) => id === question.id && text === question.text);
}

/** @param {string} id @param {string} text @returns {Message} */
export function userMessage(id, text) {
  return { id, role: 'user', text, parts: [{ kind: 'text', id, text }] };
}

/** @param {Message} question @param {Part[]} parts @param {string} [id] @returns {Message} */
export function replyTo(question, parts, id = '') {
  return { id, role: 'assistant', text: '', parts, key: keyOfReply(question) };
}

/**
 * The key of a reply is made from its question, so that the reply keeps its view (and its open tool calls) when its
 * id becomes known.
 * @param {Message} question
 */
function keyOfReply(question) {
  return `reply-to:${question.id}`;
}
