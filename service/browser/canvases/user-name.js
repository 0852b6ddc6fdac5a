// How the widgets of a canvas tell its users apart, without learning who they are.

import { newId } from '../shared/ids.js';
import { printOf } from '../shared/print-of.js';

/**
 * The name that this tab has given a user. It is random: a hash of the subject could be tried out.
 * @param {string} subject @param {Storage} storage @returns {string}
 */
export function nameOfUser(subject, storage = sessionStorage) {
  const key = `canvas.user.${printOf(subject)}`;
  const known = storage.getItem(key);
  if (known) return known;
  const name = newId();
  try {
    storage.setItem(key, name);
  } catch {
    // full or forbidden: another name after a reload
  }
  return name;
}
