// Explains the error of a call and gives advice.

import { ApiError, errorText } from '../shared/errors.js';
import { isRefreshFailure } from '../shared/oauth-answer.js';

/**
 * @typedef {'send' | 'reconnect' | ''} Remedy an action that a button can offer
 * @typedef {{text: string, advice: string, remedy: Remedy, nearest: string[]}} CallProblem
 */

/** @type {[string, Remedy]} */
const UNDER_WAY = ['The first try still runs. Nothing is done or charged twice.', 'send'];
const AGAIN = 'Try again in a minute.';

/** @type {Record<string, [string, Remedy]>} by error code */
const ADVICE = {
  invalid_request: ['Correct what is marked, then send it again. Nothing was charged.', ''],
  insufficient_credits: ['Ask the operator of this server for more credits.', ''],
  forbidden: ['Your account may not do this. Ask its administrator.', ''],
  not_found: ['Check the ids and names in the body.', ''],
  unknown_endpoint: ['This server does not offer it.', ''],
  not_configured: ['This server has no key for it. Ask its operator to set one.', ''],
  rate_limited: ['Nothing was charged.', 'send'],
  too_large: ['Send less at once.', ''],
  upstream_provider_error: [AGAIN, 'send'],
  upstream_timeout: ['It may still be done. Look at the result before you send it again.', 'send'],
  conflict: ['Look at what the call has changed before you send it again.', ''],
  unavailable: [AGAIN, 'send'],
  draining: ['Try again: another server takes over.', 'send'],
};

/** @param {unknown} error @returns {CallProblem} */
export function problemOf(error) {
  if (isRefreshFailure(error)) {
    const advice = 'Reconnect the account. Its other permissions then need your consent again, one by one.';
    return { text: 'Access to the account can’t be renewed.', advice, remedy: 'reconnect', nearest: [] };
  }
  if (!(error instanceof ApiError)) return { text: errorText(error), advice: '', remedy: 'send', nearest: [] };
  const isUnderWay = error.code === 'conflict' && error.retryAfter !== null;
  const [advice, remedy] = isUnderWay ? UNDER_WAY : (ADVICE[error.code] ?? ['', 'send']);
  const nearest = Array.isArray(error.facts.nearest) ? error.facts.nearest.map(String) : [];
  return { text: textOf(error), advice, remedy, nearest };
}

/** The text without the reasons by field, because the fields show them. @param {ApiError} error */
function textOf({ status, facts, retryAfter, requestId, details }) {
  return errorText(new ApiError(status, { ...facts, details: isByField(details) ? undefined : details }, retryAfter, requestId));
}

/** @param {unknown} details */
function isByField(details) {
  return typeof details === 'object' && details !== null;
}
