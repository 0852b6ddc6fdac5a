// Gives users pseudonyms: widgets can distinguish the users of a canvas, but do not learn who they are.

import { newId } from '../shared/ids.js';
import { fingerprint } from '../shared/fingerprint.js';
import { storeIfPossible } from '../shared/site-data.js';

/**
 * The pseudonym of a user in this tab. It is random, because a hash of the subject could be guessed.
 * @param {string} subject @param {Storage} storage @returns {string}
 */
export function nameOfUser(subject, storage) {
  const key = `canvas.user.${fingerprint(subject)}`;
  const known = storage.getItem(key);
  if (known) return known;
  const name = newId();
  storeIfPossible(storage, key, name); // if the storage is full, the user gets another pseudonym after a reload
  return name;
}
