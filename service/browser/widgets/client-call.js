// One call of an endpoint: checks the request before it is sent, and converts the answer into a value or an error.

import { newId } from '../shared/ids.js';
import { isObject, toJson } from './json-value.js';
import { ENDPOINT_NAME, LIMITS } from './messages.js';
import { ProtocolError, TooLargeError, ValidationError, errorOf } from './widget-errors.js';

/**
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal]
 * @property {number} [timeoutMs] 60 000 if absent; the time of an approval is not counted
 * @property {(status: 'awaiting_approval' | 'running') => void} [onStatus]
 * @property {string} [idempotencyKey] repeated calls with the same key are carried out, and charged, only once
 *
 * @typedef {object} Request
 * @property {string} requestId
 * @property {'GET' | 'POST'} method
 * @property {string} endpoint
 * @property {any} [body]
 * @property {any} [query]
 * @property {string} [idempotencyKey]
 *
 * @typedef {object} Answer
 * @property {any} envelope the body that the server sent
 * @property {number} [status] the HTTP status
 * @property {number | null} [retryAfterMs]
 * @property {string} [consentId]
 */

export const TIMEOUT = 60_000; // ms

/**
 * Checks a request and copies its body, so that later changes by the caller are not sent.
 * Throws `ValidationError`, `TooLargeError`.
 * @param {'GET' | 'POST'} method @param {string} endpoint @param {unknown} payload
 * @param {CallOptions} options
 * @returns {Request}
 */
export function checkRequest(method, endpoint, payload, { idempotencyKey }) {
  const requestId = newId();
  const facts = { endpoint: String(endpoint), requestId };
  if (typeof endpoint !== 'string' || endpoint.length > LIMITS.endpoint || !ENDPOINT_NAME.test(endpoint)) {
    throw invalid('endpoint', 'Give the name of an endpoint, such as "current-weather", and no address.', facts);
  }
  if (idempotencyKey !== undefined && !isKey(idempotencyKey)) {
    throw invalid('idempotencyKey', `Give 1 to ${LIMITS.id} characters.`, facts);
  }
  const copy = toJson(payload ?? {}, LIMITS.apiBodyBytes);
  if (copy.error === 'too_large') {
    const message = `The body has more than ${LIMITS.apiBodyBytes} bytes. Send less.`;
    throw new TooLargeError({ error: 'too_large', message }, facts);
  }
  if (copy.error || !isObject(copy.json)) throw invalid('body', 'Give an object of JSON.', facts);
  if (method === 'GET') checkQuery(copy.json, facts);
  const content = method === 'GET' ? { query: copy.json } : { body: copy.json };
  const key = idempotencyKey === undefined ? {} : { idempotencyKey };
  return { requestId, method, endpoint, ...content, ...key };
}

/**
 * The `data` of an answer. Throws a `WidgetError` for an error.
 * @param {Answer} answer @param {Request} request @param {boolean} rawEnvelope whether to return the whole envelope, also for errors
 */
export function valueOf({ envelope, status, retryAfterMs, consentId }, { endpoint, requestId }, rawEnvelope) {
  const error = errorOf(envelope, { endpoint, requestId, status, retryAfterMs, consentId });
  if (rawEnvelope && !(error instanceof ProtocolError)) return envelope;
  if (error) throw error;
  return envelope.data;
}

/** @param {unknown} key */
function isKey(key) {
  return typeof key === 'string' && key.length > 0 && key.length <= LIMITS.id;
}

/** @param {Record<string, any>} query @param {{endpoint: string, requestId: string}} facts */
function checkQuery(query, facts) {
  for (const [name, value] of Object.entries(query)) {
    if (value === null || typeof value === 'object') {
      throw invalid(name, 'A query has texts, numbers and booleans. Call the endpoint with post.', facts);
    }
  }
}

/** @param {string} field @param {string} reason @param {{endpoint: string, requestId: string}} facts */
function invalid(field, reason, facts) {
  const message = 'The call is not valid.';
  return new ValidationError({ error: 'invalid_request', message, details: { [field]: [reason] } }, facts);
}
