// @ts-check
// The failures of requests that read or store a canvas.

import { ApiError, NetworkError } from '../shared/errors.js';

const FIRST_WAIT = 1000; // ms
const LONGEST_WAIT = 30_000;

/** @param {unknown} error */
export function isConflict(error) {
  return error instanceof ApiError && (error.status === 409 || error.status === 412);
}

/** @param {unknown} error @returns {boolean} whether the same request may succeed later */
export function isTemporary(error) {
  if (error instanceof NetworkError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}

/** @param {unknown} one @param {unknown} other @returns {boolean} whether both are the same answer, perhaps with another id of the request or another pause */
export function isSameAnswer(one, other) {
  if (!(one instanceof ApiError && other instanceof ApiError)) return false;
  return one.status === other.status && one.code === other.code && one.message === other.message;
}

/** @param {unknown} error @param {number} failures successive ones @returns {number} ms until the next attempt */
export function waitAfter(error, failures) {
  const pause = error instanceof ApiError ? error.retryAfter : null; // seconds
  return pause === null ? Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failures - 1)) : pause * 1000;
}
