// The data parts in which a tool call asks its user: for a decision, or for a grant.

/**
 * @typedef {object} Approval
 * @property {string} toolCallId
 * @property {string} endpoint
 * @property {string} summary
 * @property {Record<string, any>} body as it will be sent
 * @property {number} credits the most that the call costs
 * @property {'user' | 'owner'} [payer] messages of earlier versions do not say it
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
 * The server never says 'left': the reply of such a part is not read any more, so nobody can answer it here.
 * Nor 'ended': its reply was interrupted while it waited.
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

/** @param {any} item a chunk or a stored part, which have the same form @returns {QuestionPart | null} */
export function questionOf({ type, id, data }) {
  const kind = KINDS.get(type);
  return kind ? /** @type {QuestionPart} */ ({ kind, id, data }) : null;
}

/**
 * The parts of a reply that is not read any more: nobody can answer its questions here.
 * @param {import('./chat-reducer.js').Part[]} parts
 */
export function withoutQuestions(parts) {
  return parts.map((part) => {
    if ((part.kind !== 'approval' && part.kind !== 'consent') || part.data.state !== 'asked') return part;
    return /** @type {QuestionPart} */ ({ ...part, data: { ...part.data, state: 'left' } });
  });
}
