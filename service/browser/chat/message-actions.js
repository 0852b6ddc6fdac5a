// The actions that the messages of a chat offer. conversation-actions.js carries them out.

/**
 * @typedef {object} Actions `edit` and `regenerate` return false if the user has canceled
 * @property {(questionId: string, text: string, later: number) => Promise<boolean>} edit
 * @property {(questionId: string, later: number, modelId?: string) => Promise<boolean>} regenerate
 *   with the given model, or else with the selected one
 * @property {() => void} retry
 * @property {() => void} dismiss
 * @property {() => void} goOn
 * @property {() => string[]} models the ids of the models that can answer
 * @property {import('../shared/api-transport.js').Transport} transport
 * @property {import('../page/drafts.js').Drafts} drafts
 * @property {(sentence: string) => void} announce
 *
 * @typedef {object} Place of a message in its chat
 * @property {boolean} isStored
 * @property {boolean} isLast
 * @property {boolean} isBusy whether a reply is being received in the chat
 * @property {boolean} hasModels whether there is more than one model to choose from
 * @property {number} later how many messages come after the question
 * @property {string} questionId the id of the message that a reply answers; '' if it is not known
 * @property {import('./turn-words.js').Turn | null} turn the record of the message's turn
 */

/** @typedef {import('../calls/turn-undo.js').Write} Write */

/** @type {Map<string, Write['verb']>} by the name of a tool */
const VERBS = new Map([
  ['records.create', 'created'],
  ['records.update', 'changed'],
  ['records.delete', 'deleted'],
]);

/** @param {readonly import('./chat-reducer.js').Part[]} parts @returns {Write[]} what the calls have changed */
export function writesIn(parts) {
  return parts.flatMap((part) => {
    if (part.kind !== 'call' || part.state !== 'done') return [];
    const verb = VERBS.get(part.name);
    return verb ? [{ verb, collection: part.input?.collection }] : [];
  });
}
