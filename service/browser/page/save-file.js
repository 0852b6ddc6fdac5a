// Saves a file that the page has made or received.

import { element } from '../shared/elements.js';

const LATER = 60_000; // ms until the file's address is revoked: browsers read the file after the click

/** @param {Blob} content @param {string} name */
export function saveFile(content, name) {
  const href = URL.createObjectURL(content);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), LATER);
}
