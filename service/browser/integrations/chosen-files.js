// The files that were chosen in a form. The body of a call has a short text in the place of each one; only what is sent
// to the server has the content.

import { fileOfText, textsIn } from './file-text.js';

/**
 * @typedef {import('../shared/schema-values.js').Problem} Problem
 * @typedef {ReturnType<typeof createChosenFiles>} ChosenFiles
 */

export function createChosenFiles() {
  /** @type {Map<string, string | null>} base64 by the text of the file; null while the file is read */
  const contents = new Map();

  return {
    /** @param {string} text */
    has: (text) => typeof contents.get(text) === 'string',
    /** @param {string} text @param {string | null} content */
    put: (text, content) => void contents.set(text, content),
    /** @param {string} text */
    remove: (text) => void contents.delete(text),
    /** Forgets the files that are no longer in a body. @param {any} body */
    retain(body) {
      const used = new Set(textsIn(body).map(({ text }) => text));
      for (const text of contents.keys()) if (!used.has(text)) contents.delete(text);
    },
    /** A body with the contents of its files. @param {any} body */
    complete: (body) => mapTexts(body, (text) => contents.get(text) ?? text),
    /** The files in a body whose contents are not known: because they are still read, or because the page was loaded again. @param {any} body @returns {Problem[]} */
    problems: (body) => textsIn(body).flatMap(({ path, text }) => {
      const file = fileOfText(text);
      if (!file || typeof contents.get(text) === 'string') return [];
      const isRead = contents.has(text);
      return [{ path, text: isRead ? `“${file.name}” is still being read. Send again in a moment.` : `Choose “${file.name}” again.` }];
    }),
  };
}

/** @param {any} value JSON @param {(text: string) => string} map @returns {any} */
function mapTexts(value, map) {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}
