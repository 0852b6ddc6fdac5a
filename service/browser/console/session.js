// The signed-in user. The token is kept in sessionStorage until the tab is closed, and never in a URL.

import { createListeners } from '../shared/listeners.js';

const KEY = 'console.token';

/**
 * @typedef {object} Session
 * @property {string | null} token
 * @property {string} subject of the token; '' when nobody is signed in
 * @property {string} reason why the last session ended, for the sign-in page
 * @property {(token: string) => void} begin
 * @property {(reason?: string) => void} end
 * @property {(listener: () => void) => () => void} onChange
 */

/** @param {Storage} storage @returns {Session} */
export function createSession(storage) {
  const listeners = createListeners();
  const session = {
    token: storage.getItem(KEY),
    subject: subjectOf(storage.getItem(KEY)),
    reason: '',
    /** @param {string} token */
    begin(token) {
      storage.setItem(KEY, token);
      Object.assign(session, { token, subject: subjectOf(token), reason: '' });
      listeners.notify();
    },
    end(reason = '') {
      storage.removeItem(KEY);
      Object.assign(session, { token: null, subject: '', reason });
      listeners.notify();
    },
    onChange: listeners.add,
  };
  return session;
}

/**
 * A pasted token without the header name, "Bearer" and white space that may be copied with it.
 * @param {string} pasted
 */
export function tidyToken(pasted) {
  return pasted.replace(/^\s*(authorization:)?\s*bearer\s+/i, '').replace(/\s+/g, '');
}

/**
 * The subject, for display and for the names of drafts. Only the server verifies the token.
 * @param {string | null} token
 */
export function subjectOf(token) {
  try {
    const payload = (token ?? '').split('.')[1].replace(/-/g, '+').replace(/_/g, '/');
    const bytes = Uint8Array.from(atob(payload), (c) => c.charCodeAt(0));
    return String(JSON.parse(new TextDecoder().decode(bytes)).sub ?? '');
  } catch {
    return '';
  }
}
