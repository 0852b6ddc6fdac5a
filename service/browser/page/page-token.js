// What the server's session of this browser is asked for: the page's token, and its end. The browser adds
// the session's cookie, which no script can read. Source: docs/contract.md, "Signing in to the console".

import { ApiError, NetworkError } from '../shared/errors.js';

/** @typedef {{token: string, refreshIn: number | null}} PageToken `refreshIn` in seconds; null for never */

/** @returns {Promise<PageToken | null>} null once the session has ended; throws if that is not known */
export async function fetchPageToken() {
  const response = await send('/console/token');
  if (response.status === 401) return null;
  return readJson(response);
}

/** @returns {Promise<string | null>} where to sign out of the identity provider too */
export async function endServerSession() {
  return (await readJson(await send('/console/sign-out'))).endSession;
}

/** @param {string} path */
function send(path) {
  return fetch(path, { method: 'POST' }).catch(() => {
    throw new NetworkError();
  });
}

/** @param {Response} response @returns {Promise<any>} */
async function readJson(response) {
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(response.status, body);
  return body;
}
