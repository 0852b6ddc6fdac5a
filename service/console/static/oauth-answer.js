// What an answer says about consent. Source: the specification's rules for clients.

import { ApiError } from './errors.js';

/** @typedef {{requiresOAuth: true, provider: string, scopes: string[], authUrl: string}} Required */
/** @typedef {'connected' | 'unconfirmed' | 'failed'} Outcome as the callback pages name it */
/** @typedef {{type: 'oauth-result', integration: string, outcome: Outcome}} Result */

const OUTCOMES = ['connected', 'unconfirmed', 'failed'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @param {any} answer of an endpoint @returns {Required | null} null when the answer is the data */
export function consentNeeded(answer) {
  const data = answer?.data ?? answer;
  return data?.requiresOAuth === true ? data : null;
}

/**
 * The address of a consent page: encrypted, unless it is on this very machine.
 * @param {unknown} text
 */
export function safeAuthUrl(text) {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null;
  const fits = url && (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname)));
  if (!fits || url.username || url.password) throw new UnsafeAddress();
  return url.href;
}

/** The server has named a consent page that must not be opened. */
export class UnsafeAddress extends Error {
  constructor() {
    super('The address of the consent page is not safe to open. Tell the operator of this server.');
  }
}

/** The one error that a new consent mends. @param {unknown} error */
export function isRefreshFailure(error) {
  return error instanceof ApiError && error.status === 502 && error.message.startsWith('Token refresh failed');
}

/** The grant is looked at before the body: who is told about the body has the grant. @param {unknown} error */
export function isAboutTheBody(error) {
  return error instanceof ApiError && error.code === 'invalid_request';
}

/** @param {any} value of a message, from whoever @returns {value is Result} */
export function isResult(value) {
  return (
    value?.type === 'oauth-result' && typeof value.integration === 'string' && OUTCOMES.includes(value.outcome)
  );
}
