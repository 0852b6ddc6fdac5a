// Sends every request of a page. It adds the bearer token, then returns JSON or throws an error from errors.js.

import { ApiError, NetworkError } from './errors.js';

const CHECK = 5000; // ms
const MOST_CHECKS = 18; // until a request without a response is given up: a proxy waits for the service for up to a minute
const SLOWEST = 20_000; // bytes of a body that a slow link sends between two checks
const LONG = '/api/integrations/'; // a call may take ten minutes

/**
 * @typedef {object} Transport
 * @property {(path: string, query?: Record<string, any>) => Promise<any>} get
 * @property {(path: string, body?: any) => Promise<any>} post
 * @property {(path: string, body: any, headers?: Record<string, string>) => Promise<any>} patch
 * @property {(path: string) => Promise<any>} delete
 * @property {(path: string, body: any, signal: AbortSignal, headers?: Record<string, string>) => Promise<Response>} open
 * @property {(path: string, signal: AbortSignal, headers?: Record<string, string>) => Promise<Response>} read
 * @property {(path: string, signal: AbortSignal) => Promise<Response>} head asks for the status and the headers only
 * @property {(method: string, path: string, options: CallOptions) => Promise<any>} call
 *
 * @typedef {{body?: any, headers?: Record<string, string>, signal?: AbortSignal}} CallOptions
 */

/**
 * @param {object} options
 * @param {() => string | null | Promise<string | null>} options.token called before each request
 * @param {(token: string | null) => void} [options.onUnauthorized] called with the refused token
 * @param {() => void} [options.onAnswer] called after a JSON answer of the server
 * @param {() => void} [options.onUnreachable] called when no answer arrives
 *   Neither is called if it is already known how a later request has ended: what arrives late says nothing about now.
 * @param {string} [options.base] put before each path; without it, requests go to the page's own origin
 * @param {typeof globalThis.fetch} [options.fetch]
 * @returns {Transport}
 */
export function createTransport({ token, base = '', ...options }) {
  const { onUnauthorized = () => {}, onAnswer = () => {}, onUnreachable = () => {} } = options;
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  let sent = 0; // requests
  let newest = 0; // the number of the latest request whose end is known

  /** @param {number} number of a request that has ended @param {() => void} tell */
  function end(number, tell) {
    if (number < newest) return;
    newest = number;
    tell();
  }

  /** @param {string} method @param {string} path @param {any} [body] @param {RequestInit} [more] @param {number} [number] of the request */
  async function send(method, path, body, more = {}, number = (sent += 1)) {
    const given = token();
    const bearer = given instanceof Promise ? await given : given; // a token that is there is used at once
    const headers = { Authorization: `Bearer ${bearer}`, ...more.headers };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    if (body !== undefined) Object.assign(headers, { 'Content-Type': 'application/json' });
    const init = { method, ...more, headers, ...content };
    const response = await withNetworkErrors(fetch(base + path, init), () => end(number, onUnreachable));
    if (response.status === 401) onUnauthorized(bearer);
    if (!response.ok) throw await errorFrom(response);
    return response;
  }

  /** @param {string} method @param {string} path @param {any} [body] @param {RequestInit} [more] */
  async function json(method, path, body, more) {
    const number = (sent += 1);
    const limit = createTimeLimit(path, body, more?.signal);
    const response = await send(method, path, body, { ...more, signal: limit.signal }, number).finally(limit.stop);
    const answer = await withNetworkErrors(response.json(), () => end(number, onUnreachable));
    end(number, onAnswer); // only after the JSON was read: a proxy's HTML page is not an answer of the server
    return answer;
  }

  return {
    get: (path, query) => json('GET', path + queryString(query)),
    post: (path, body) => json('POST', path, body ?? {}),
    patch: (path, body, headers) => json('PATCH', path, body, { headers }),
    delete: (path) => json('DELETE', path),
    call: (method, path, { body, ...more }) => json(method, path, body, more),
    read: (path, signal, headers) => send('GET', path, undefined, { signal, headers }),
    head: (path, signal) => send('HEAD', path, undefined, { signal }),
    open: (path, body, signal, headers) => send('POST', path, body, { signal, headers }),
  };
}

/**
 * Aborts a request whose response does not begin in time, for example after the network has changed. Checks are counted, not
 * the time: a computer that has slept reads first what has come meanwhile. What follows the head has no limit.
 * @param {string} path @param {any} body @param {AbortSignal | null} [given]
 */
function createTimeLimit(path, body, given) {
  if (path.startsWith(LONG)) return { signal: given, stop() {} };
  const controller = new AbortController();
  let left = MOST_CHECKS + (body === undefined ? 0 : JSON.stringify(body).length / SLOWEST);
  const timer = setInterval(() => {
    left -= 1;
    if (left >= 0) return;
    clearInterval(timer);
    controller.abort(new DOMException('No response has come.', 'TimeoutError'));
  }, CHECK);
  const signal = given ? AbortSignal.any([given, controller.signal]) : controller.signal;
  return { signal, stop: () => clearInterval(timer) };
}

/** @template T @param {Promise<T>} promise @param {() => void} onUnreachable @returns {Promise<T>} */
async function withNetworkErrors(promise, onUnreachable) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    onUnreachable();
    throw new NetworkError();
  }
}

/** @param {Response} response */
async function errorFrom(response) {
  const after = Number(response.headers.get('Retry-After'));
  const body = await response.json().catch(() => ({})); // a proxy's own error page is not JSON
  return new ApiError(response.status, body, after > 0 ? after : null, response.headers.get('X-Request-Id') ?? undefined);
}

/** @param {Record<string, any>} [query] objects are sent as JSON; null and undefined are left out */
export function queryString(query = {}) {
  const entries = Object.entries(query).filter(([, value]) => value != null);
  const pairs = entries.map(([k, v]) => [k, typeof v === 'object' ? JSON.stringify(v) : String(v)]);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}
