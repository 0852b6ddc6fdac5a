// Maps each chunk to one of the seven actions of the specification, to 'ask-user', or to no action.

import { questionOf } from './question-parts.js';

/** @typedef {import('./chat-stream.js').Chunk} Chunk */
/** @typedef {import('./question-parts.js').QuestionPart} QuestionPart */

/**
 * @typedef {{type: 'append-text', textId: string, delta: string}
 *   | {type: 'upsert-tool-call', callId: string, name?: string, inputDelta?: string, input?: any}
 *   | {type: 'finalize-tool-call', callId: string, output: any}
 *   | {type: 'fail-tool-input', callId: string, name: string, input: any, message: string}
 *   | {type: 'fail-tool-output', callId: string, message: string}
 *   | {type: 'ask-user', part: QuestionPart}
 *   | {type: 'stream-error', message: string}
 *   | {type: 'abort'}} Action
 */

/** @param {Chunk} chunk @returns {Action | null} null for chunks that carry no content */
export function actionOf(chunk) {
  const callId = chunk.toolCallId;
  switch (chunk.type) {
    case 'text-delta':
      return { type: 'append-text', textId: chunk.id, delta: chunk.delta };
    case 'tool-input-start':
      return { type: 'upsert-tool-call', callId, name: chunk.toolName };
    case 'tool-input-delta':
      return { type: 'upsert-tool-call', callId, inputDelta: chunk.inputTextDelta };
    case 'tool-input-available':
      return { type: 'upsert-tool-call', callId, name: chunk.toolName, input: chunk.input };
    case 'tool-output-available':
      return { type: 'finalize-tool-call', callId, output: chunk.output };
    case 'tool-input-error': {
      const { toolName: name, input, errorText: message } = chunk;
      return { type: 'fail-tool-input', callId, name, input, message };
    }
    case 'tool-output-error':
      return { type: 'fail-tool-output', callId, message: chunk.errorText };
    case 'error':
      return { type: 'stream-error', message: chunk.errorText };
    case 'abort':
      return { type: 'abort' };
    default: {
      const part = questionOf(chunk);
      return part && { type: 'ask-user', part };
    }
  }
}

/**
 * The ending of a stream, if the chunk is its last. A stream without such a chunk was interrupted.
 * @param {Chunk} chunk @returns {'finish' | 'abort' | 'error' | null}
 */
export function endingOf(chunk) {
  const { type } = chunk;
  return type === 'finish' || type === 'abort' || type === 'error' ? type : null;
}
