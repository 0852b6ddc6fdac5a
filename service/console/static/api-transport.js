// Every request of the console: the bearer goes in, JSON or an error from errors.js comes out.

import { ApiError, NetworkError } from './errors.js';

/**
 * @typedef {object} Transport
 * @property {(path: string, query?: Record<string, any>) => Promise<any>} get
 * @property {(path: string, body?: any) => Promise<any>} post
 * @property {(path: string, body: any, headers?: Record<string, string>) => Promise<any>} patch
 * @property {(path: string) => Promise<any>} delete
 * @property {(path: string, body: any, signal: AbortSignal) => Promise<Response>} open
 */

/**
 * @param {object} options
 * @param {() => string | null} options.token
 * @param {(token: string | null) => void} options.onUnauthorized told which token was refused
 * @param {() => void} [options.onAnswer] the server is there
 * @param {typeof globalThis.fetch} [options.fetch]
 * @returns {Transport}
 */
export function createTransport({ token, onUnauthorized, onAnswer = () => {}, ...options }) {
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  /** @param {string} method @param {string} path @param {any} [body] @param {RequestInit} [more] */
  async function send(method, path, body, more = {}) {
    const sent = token();
    const headers = { Authorization: `Bearer ${sent}`, ...more.headers };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    if (body !== undefined) Object.assign(headers, { 'Content-Type': 'application/json' });
    const asked = { method, ...more, headers, ...content };
    const response = await reached(fetch(path, asked));
    if (response.status === 401) onUnauthorized(sent);
    if (!response.ok) throw await refusal(response);
    return response;
  }

  /** @param {Promise<Response>} sent */
  async function json(sent) {
    const answer = await reached((await sent).json());
    onAnswer(); // not before it was read: a page of something in between is none
    return answer;
  }

  return {
    get: (path, query) => json(send('GET', path + queryString(query))),
    post: (path, body) => json(send('POST', path, body ?? {})),
    patch: (path, body, headers) => json(send('PATCH', path, body, { headers })),
    delete: (path) => json(send('DELETE', path)),
    open: (path, body, signal) => send('POST', path, body, { signal }),
  };
}

/** @template T @param {Promise<T>} promise @returns {Promise<T>} */
async function reached(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new NetworkError();
  }
}

/** @param {Response} response */
async function refusal(response) {
  const after = Number(response.headers.get('Retry-After'));
  const body = await response.json().catch(() => ({})); // a proxy's own error page is not JSON
  return new ApiError(response.status, body, after > 0 ? after : null);
}

/** @param {Record<string, any>} [query] objects are sent as JSON, undefined is left out */
export function queryString(query = {}) {
  const given = Object.entries(query).filter(([, value]) => value != null);
  const plain = given.map(([k, v]) => [k, typeof v === 'object' ? JSON.stringify(v) : String(v)]);
  return plain.length ? `?${new URLSearchParams(plain)}` : '';
}
