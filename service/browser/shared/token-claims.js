// What a token says about its user. Only the server verifies it.

/**
 * Removes the header name, "Bearer" and white space from a pasted token, because they may have been copied with it.
 * @param {string} pasted
 */
export function tidyToken(pasted) {
  return pasted.replace(/^\s*(authorization:)?\s*bearer\s+/i, '').replace(/\s+/g, '');
}

/**
 * The user, for display and for the names of drafts; '' if the token does not name one.
 * @param {string | null} token
 */
export function subjectOf(token) {
  return String(claimsOf(token).sub ?? '');
}

/** @param {string | null} token @returns {number | null} ms until the token ends; null if it has no end */
export function timeLeft(token) {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' ? exp * 1000 - Date.now() : null;
}

/**
 * The claims of a token; an empty object for a text that is not a token.
 * @param {string | null} token @returns {Record<string, any>}
 */
export function claimsOf(token) {
  try {
    const payload = (token ?? '').split('.')[1].replace(/-/g, '+').replace(/_/g, '/');
    const bytes = Uint8Array.from(atob(payload), (c) => c.charCodeAt(0));
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}
