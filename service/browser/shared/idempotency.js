// Requests that must not take effect twice. If an answer is lost, the next try with the same content sends the same
// `Idempotency-Key`, so that the server carries out the request only once.

import { ApiError } from './errors.js';
import { newId } from './ids.js';

/**
 * @typedef {Pick<Map<string, string>, 'get'> & {set: (content: string, key: string) => void, delete: (content: string) => void}} Keys
 *   the keys of requests whose outcome is not known, by the content of the request
 */

/**
 * Sends a request with the key of its content. An answer ends the key, and so does an error that says that the key is
 * of no more use. Any other refusal keeps the key: it says nothing about an earlier try, and the server does not
 * store the key of a request that it refuses.
 * @template T
 * @param {Keys} keys @param {string} content equal for two tries of the same request @param {(key: string) => Promise<T>} act
 * @returns {Promise<T>}
 */
export async function withIdempotencyKey(keys, content, act) {
  const key = keys.get(content) ?? newId();
  const end = () => void (keys.get(content) === key && keys.delete(content));
  keys.set(content, key);
  try {
    const answer = await act(key);
    end();
    return answer;
  } catch (error) {
    if (isSpent(error)) end();
    throw error;
  }
}

/**
 * Creates a record with the key of its content. If an earlier try whose answer was lost has created the record, and
 * it was deleted since then, the record is created again.
 * @template T
 * @param {Keys} keys @param {string} content @param {(key: string) => Promise<T>} create
 * @returns {Promise<T>}
 */
export async function createOnce(keys, content, create) {
  const wasTried = keys.get(content) !== undefined;
  try {
    return await withIdempotencyKey(keys, content, create);
  } catch (error) {
    if (!(wasTried && error instanceof ApiError && error.code === 'not_found')) throw error;
    return withIdempotencyKey(keys, content, create);
  }
}

/**
 * Whether a key is of no more use: its record was deleted, or the outcome of its request will never be known. An error
 * with `Retry-After` means that the request is still running, so its key stays.
 * @param {unknown} error
 */
function isSpent(error) {
  if (!(error instanceof ApiError)) return false;
  return error.code === 'not_found' || ((error.code === 'conflict' || error.status === 409) && error.retryAfter === null);
}
