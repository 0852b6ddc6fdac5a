// Reads from an answer whether a consent is needed. Source: docs/contract.md, "Errors".

import { ApiError } from './errors.js';

/** @typedef {{requiresOAuth: true, provider: string, scopes: string[], authUrl: string}} ConsentRequest */
/** @typedef {'connected' | 'unconfirmed' | 'failed'} Outcome as the callback pages name it */
/** @typedef {{type: 'oauth-result', integration: string, outcome: Outcome, state?: string}} Result */

const OUTCOMES = ['connected', 'unconfirmed', 'failed'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @param {any} answer of an endpoint @returns {ConsentRequest | null} null if no consent is needed */
export function consentNeeded(answer) {
  const data = answer?.data ?? answer;
  return data?.requiresOAuth === true ? data : null;
}

/**
 * Checks the address of a consent page and returns it. It must be https, or http on this machine; any other address
 * throws `UnsafeAddress`.
 * @param {unknown} text
 */
export function safeAuthUrl(text) {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null;
  const isSafe = url && (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname)));
  if (!isSafe || url.username || url.password) throw new UnsafeAddress();
  return url.href;
}

/** The server returned the address of a consent page that must not be opened. */
export class UnsafeAddress extends Error {
  constructor() {
    super('The address of the consent page is not safe to open. Tell the operator of this server.');
  }
}

/** Whether the account's token could not be refreshed: the only error that a new consent resolves. @param {unknown} error */
export function isRefreshFailure(error) {
  return error instanceof ApiError && error.status === 502 && error.message.startsWith('Token refresh failed');
}

/** Whether the service refused the body. It checks the grant first, so this error means that the grant exists. @param {unknown} error */
export function isAboutTheBody(error) {
  return error instanceof ApiError && error.code === 'invalid_request';
}

/**
 * Whether a result may be that of the consent at this address. Another tab may have requested a consent too.
 * @param {Result} result @param {string} address of the consent page
 */
export function isResultOf(result, address) {
  const state = new URL(address).searchParams.get('state');
  return !state || !result.state || result.state === state;
}

/** @param {any} value of a message from any sender @returns {value is Result} */
export function isResult(value) {
  return (
    value?.type === 'oauth-result' && typeof value.integration === 'string' && OUTCOMES.includes(value.outcome)
  );
}
