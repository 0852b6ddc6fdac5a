// What must not be done twice. After a lost answer the next try of the same content has the same `Idempotency-Key`,
// so that the server does it once.

import { ApiError } from './errors.js';
import { newId } from './ids.js';

/**
 * @typedef {Pick<Map<string, string>, 'get'> & {set: (content: string, key: string) => void, delete: (content: string) => void}} Keys
 *   of tries whose end is not known, by what they do
 */

/**
 * The key is over with the answer, or when the server says that it is of no more use. A refusal says nothing about
 * an earlier try, so the key outlives it; the server has not stored it for a try that it has refused.
 * @template T
 * @param {Keys} keys @param {string} content by which another try is known as the same @param {(key: string) => Promise<T>} act
 * @returns {Promise<T>}
 */
export async function once(keys, content, act) {
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
 * What a lost try has made may have been deleted since: it is made anew then.
 * @template T
 * @param {Keys} keys @param {string} content @param {(key: string) => Promise<T>} create
 * @returns {Promise<T>}
 */
export async function createOnce(keys, content, create) {
  const wasTried = keys.get(content) !== undefined;
  try {
    return await once(keys, content, create);
  } catch (error) {
    if (!(wasTried && error instanceof ApiError && error.code === 'not_found')) throw error;
    return once(keys, content, create);
  }
}

/** What was done is gone since, or nobody knows how it ended. A call that still runs says when to ask again. @param {unknown} error */
function isSpent(error) {
  if (!(error instanceof ApiError)) return false;
  return error.code === 'not_found' || ((error.code === 'conflict' || error.status === 409) && error.retryAfter === null);
}
