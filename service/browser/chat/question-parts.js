// The data parts with which a tool call asks the user for an approval or a grant.

/**
 * @typedef {object} Approval
 * @property {string} toolCallId
 * @property {string} endpoint
 * @property {string} summary
 * @property {Record<string, any>} body the values that will be sent
 * @property {number} credits the most that the call costs
 * @property {'user' | 'owner'} [payer] missing in messages of earlier versions
 * @property {string} expiresAt ISO 8601
 * @property {'asked' | 'once' | 'chat' | 'denied' | 'expired' | 'left' | 'ended'} state
 *
 * @typedef {object} Consent
 * @property {string} toolCallId
 * @property {string} endpoint
 * @property {string} provider
 * @property {string[]} scopes
 * @property {string} expiresAt ISO 8601
 * @property {'asked' | 'granted' | 'expired' | 'left' | 'ended'} state
 *
 * The server sends neither 'left' nor 'ended'. 'left' means that this page no longer reads the reply, so that nobody
 * can answer the question here. 'ended' means that the reply was interrupted while the question waited.
 *
 * @typedef {{kind: 'approval', id: string, data: Approval}} ApprovalPart
 * @typedef {{kind: 'consent', id: string, data: Consent}} ConsentPart
 * @typedef {ApprovalPart | ConsentPart} QuestionPart
 */

/** @type {Map<string, 'approval' | 'consent'>} */
const KINDS = new Map([
  ['data-approval', 'approval'],
  ['data-consent', 'consent'],
]);

/** @param {any} item a chunk or a stored part; both have the same form @returns {QuestionPart | null} */
export function questionOf({ type, id, data }) {
  const kind = KINDS.get(type);
  return kind ? /** @type {QuestionPart} */ ({ kind, id, data }) : null;
}

/**
 * The parts of a reply that this page no longer reads: nobody can answer its questions here.
 * @param {import('./chat-reducer.js').Part[]} parts
 */
export function withoutQuestions(parts) {
  return parts.map((part) => {
    if ((part.kind !== 'approval' && part.kind !== 'consent') || part.data.state !== 'asked') return part;
    return /** @type {QuestionPart} */ ({ ...part, data: { ...part.data, state: 'left' } });
  });
}
