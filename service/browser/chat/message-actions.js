// What the messages of a chat can ask for. The pane of the conversation carries it out.

/**
 * @typedef {object} Actions each of the first three says whether the user went on with it
 * @property {(questionId: string, text: string, later: number) => Promise<boolean>} edit
 * @property {(questionId: string, later: number, modelId?: string) => Promise<boolean>} regenerate
 *   with another model than the picker's, if one is given
 * @property {() => void} retry
 * @property {() => void} dismiss
 * @property {() => void} goOn
 * @property {() => string[]} models that can answer
 * @property {import('../shared/api-transport.js').Transport} transport
 * @property {import('../page/drafts.js').Drafts} drafts
 * @property {(sentence: string) => void} announce
 *
 * @typedef {object} Place of a message in its chat
 * @property {boolean} isStored
 * @property {boolean} isLast
 * @property {boolean} isBusy whether a reply runs in its chat
 * @property {boolean} hasModels whether there is more than one model to choose from
 * @property {number} later how many messages come after its question
 * @property {string} questionId of the message that a reply answers; '' if it is not known
 * @property {import('./turn-words.js').Turn | null} turn the record of its turn
 */

/** A button that can't be used now keeps its place and its focus. @param {HTMLElement} button @param {boolean} off */
export function turnOff(button, off) {
  if (off) button.setAttribute('aria-disabled', 'true');
  else button.removeAttribute('aria-disabled');
}

/** @param {readonly import('./chat-reducer.js').Part[]} parts @returns {import('./chat-reducer.js').CallPart[]} the calls that have changed records */
export function writesIn(parts) {
  return parts.flatMap((part) => (part.kind === 'call' && part.state === 'done' && isWrite(part.name) ? [part] : []));
}

/** @param {string} name of a tool */
function isWrite(name) {
  return name === 'records.create' || name === 'records.update' || name === 'records.delete';
}
