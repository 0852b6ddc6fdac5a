// Requests to the server about this browser's session: to get a token for the page, and to end the session. The
// browser adds the session cookie, which scripts can't read. Source: docs/contract.md, "Signing in to the console".

import { ApiError, NetworkError } from '../shared/errors.js';

/** @typedef {{token: string, refreshIn: number | null}} PageToken `refreshIn` in seconds; null for never */

/** @returns {Promise<PageToken | null>} null if the session has ended; throws if the server can't say */
export async function fetchPageToken() {
  const response = await send('/console/token');
  if (response.status === 401) return null;
  return readJson(response);
}

/** @returns {Promise<string | null>} the address at which to sign out of the identity provider too */
export async function endServerSession() {
  return (await readJson(await send('/console/sign-out'))).endSession;
}

const LONGEST = 90_000; // ms; all requests of the page may wait for the token

/** @param {string} path */
function send(path) {
  return fetch(path, { method: 'POST', signal: AbortSignal.timeout(LONGEST) }).catch(() => {
    throw new NetworkError();
  });
}

/** @param {Response} response @returns {Promise<any>} */
async function readJson(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(response.status, body);
  return body;
}
