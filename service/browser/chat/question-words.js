// The texts of a question to the user: on its card, and for screen readers.

import { numberInWords, priceWords } from '../shared/number-words.js';
import { ApiError, errorText } from '../shared/errors.js';
import { findDoubtfulNumber } from '../shared/exact-numbers.js';
import { minutesInWords, timeOfDay } from '../shared/time-format.js';
import { titleOf } from '../integrations/titles.js';

/**
 * @typedef {import('./question-parts.js').Approval} Approval
 * @typedef {import('./question-parts.js').Consent} Consent
 * @typedef {import('./question-parts.js').QuestionPart} QuestionPart
 */

/** @type {Record<Exclude<Approval['state'], 'asked'>, string>} */
export const DECISIONS = {
  once: 'You allowed this call once.',
  chat: 'You allowed this endpoint in this chat.',
  denied: 'You denied this call. Nothing was sent.',
  expired: 'Nobody decided in time. Nothing was sent.',
  left: 'You can’t decide here any more: this reply has ended or its connection was lost.',
  ended: 'The reply ended before anybody decided. Nothing was sent.',
};

/** The label of the values of a call. @type {Record<Approval['state'], string>} */
export const SENT = {
  asked: 'What is sent',
  once: 'What was sent',
  chat: 'What was sent',
  denied: 'What was not sent',
  expired: 'What was not sent',
  left: 'What is to be sent',
  ended: 'What was not sent',
};

/** @type {Record<Exclude<Consent['state'], 'asked'>, string>} */
export const GRANTS = {
  granted: 'The account is connected.',
  expired: 'The account was not connected in time. The call was not made.',
  left: 'This call does not wait here any more: its reply has ended or its connection was lost.',
  ended: 'The reply ended before the account was connected. The call was not made.',
};

/** @param {QuestionPart} part @returns {string} the text for screen readers; '' for a part that no longer asks the user */
export function announcementOf({ kind, data }) {
  if (data.state !== 'asked') return '';
  if (kind === 'approval') return `The assistant asks whether it may call ${data.endpoint}.`;
  return `The assistant needs your account: ${titleOf(data.provider)}.`;
}

/** @param {{credits: number, payer?: Approval['payer'], balance?: number | null}} call */
export function priceInWords({ credits, payer, balance = null }) {
  if (!credits) return 'It costs no credits.';
  const most = `up to ${priceWords(credits)}`;
  if (payer === 'owner') return `It costs ${most}. The owner of the app pays.`;
  const left = payer && balance !== null ? ` You have ${numberInWords(balance)}.` : '';
  return `It costs ${payer ? 'you ' : ''}${most}.${left}`;
}

/** @param {any} body as parsed by the browser @returns {string} a warning about a number; '' if all values are shown exactly */
export function doubtText(body) {
  const number = findDoubtfulNumber(body);
  return number !== undefined ? `${number} is too large to be shown exactly: the last digits of what is sent may be others.` : '';
}

/** @param {string} expiresAt ISO 8601 @param {number} [now] milliseconds */
export function timeLeft(expiresAt, now = Date.now()) {
  const left = minutesInWords(Date.parse(expiresAt) - now);
  return `You can decide until ${timeOfDay(expiresAt)}: ${left} left.`;
}

/** @param {unknown} error of the request that sends a decision @returns {string} */
export function decisionProblem(error) {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 409) return 'This was decided already, perhaps in another tab.';
  if (status === 404) return 'This call does not wait any more. Nothing was sent by your decision.';
  return errorText(error);
}
