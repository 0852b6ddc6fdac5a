// The session of a standalone widget: its calls go to the server with the user's token, which is never stored.

import { createTransport, queryString } from '../shared/api-transport.js';
import { ApiError, NetworkError as NoAnswer } from '../shared/errors.js';
import { TIMEOUT } from './client-call.js';
import { createOwnState } from './client-own-state.js';
import { readRecords } from './client-records-standalone.js';
import { createWait } from './client-wait.js';
import { WidgetError, clientError, errorOf } from './widget-errors.js';

/**
 * @typedef {import('./client-session.js').Session} Session
 * @typedef {import('./client-call.js').Request} Request
 * @typedef {import('./client-call.js').Answer} Answer
 * @typedef {import('../shared/api-transport.js').Transport} Transport
 *
 * @typedef {(need: import('./client-session.js').Need, readStatus: () => Promise<Record<string, any>>)
 *   => Promise<import('./client-session.js').Consent>} AskConsent
 */

/**
 * @param {object} options
 * @param {string} options.baseUrl
 * @param {() => Promise<string | null> | string | null} options.getToken called before each request
 * @param {typeof globalThis.fetch} [options.fetch]
 * @param {AskConsent} options.consent
 * @param {Storage} options.storage for the session of the page
 * @param {string} options.place of this widget in the storage
 * @returns {Session}
 */
export function createStandaloneSession({ baseUrl, getToken, fetch, consent, storage, place }) {
  const state = createOwnState({ storage, place, getToken });
  const transport = createTransport({ base: baseUrl, token: state.token, fetch });
  const status = () => send(transport, 'GET', 'status', {}).then(statusOf);
  return {
    mode: 'standalone',
    widgetId: null,
    slots: [],
    context: { theme: theme(), locale: globalThis.navigator?.language ?? 'en', cssVars: {} },

    send(request, { signal, timeoutMs = TIMEOUT, onStatus }) {
      const { requestId, endpoint } = request;
      const controller = new AbortController();
      const onGivenUp = () => controller.abort();
      /** @type {ReturnType<typeof createWait<Answer>>} */
      const wait = createWait({ signal, timeoutMs, onGivenUp, facts: { requestId, endpoint } });
      if (signal?.aborted) wait.abort();
      else {
        wait.run();
        onStatus?.('running');
        call(transport, request, controller.signal).then(wait.succeed, wait.fail);
      }
      return wait.promise;
    },

    connect: (need) => consent(need, status),
    status,
    getState: state.get,
    setState: state.set,
    onState: state.onChange,
    sendOutput() {}, // there are no other widgets
    followRecords: (collection, listener) => readRecords(transport, collection, listener),
    resize() {},
    close() {},
  };
}

/** @param {Transport} transport @param {Request} request @param {AbortSignal} signal */
function call(transport, { requestId, method, endpoint, body, query, idempotencyKey }, signal) {
  /** @type {Record<string, string>} */
  const headers = { 'X-Request-Id': requestId, 'X-Door': 'widget' };
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  return send(transport, method, endpoint + queryString(query), { body, headers, signal });
}

/**
 * @param {Transport} transport @param {string} method @param {string} path
 * @param {{body?: any, headers?: Record<string, string>, signal?: AbortSignal}} options
 * @returns {Promise<Answer>} an answer also if the server refuses the request
 */
async function send(transport, method, path, options) {
  try {
    return { envelope: await transport.call(method, `/api/integrations/${path}`, options), status: 200 };
  } catch (error) {
    if (error instanceof NoAnswer) throw clientError('network', { endpoint: path });
    if (!(error instanceof ApiError)) throw error;
    const retryAfterMs = error.retryAfter === null ? null : error.retryAfter * 1000;
    return { envelope: error.facts, status: error.status, retryAfterMs };
  }
}

/** The status in an answer. It has an envelope only if the request was refused. @param {Answer} answer */
function statusOf({ envelope, status }) {
  if (status === 200) return envelope;
  throw errorOf(envelope, { endpoint: 'status', status }) ?? new WidgetError(envelope, { status });
}

function theme() {
  return globalThis.matchMedia?.('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
