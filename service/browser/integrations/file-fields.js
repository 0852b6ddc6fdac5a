// Which fields of a form are files, by the keywords of their schemas, and the size and the kind of these files.

import { formatNumber } from '../shared/number-words.js';

/**
 * @typedef {import('../shared/schema-fields.js').Field} Field
 * @typedef {{most: number | undefined, kind: string}} FileFacts the largest size in bytes, and the media type, such as "image/*"
 */

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

/**
 * A text is a file if its schema, or one of its alternatives, says that it is base64.
 * @param {Field} field @returns {FileFacts | null} null if the field is not a file
 */
export function fileFactsOf({ kind, schema }) {
  const options = [schema, ...(schema.anyOf ?? schema.oneOf ?? [])];
  const file = kind === 'text' && options.find((one) => one?.contentEncoding === 'base64');
  if (!file) return null;
  const longest = Math.min(file.maxLength ?? Infinity, schema.maxLength ?? Infinity);
  return { most: longest < Infinity ? Math.floor(longest / 4) * 3 : undefined, kind: String(file.contentMediaType ?? '') };
}

/** @param {number} bytes @returns {string} "123 bytes", "5 MiB" */
export function sizeWords(bytes) {
  const step = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  const size = bytes / 1024 ** step;
  return `${formatNumber(size, size < 100 ? 1 : 0)} ${bytes === 1 ? 'byte' : UNITS[step]}`;
}

/** Why a file is too large; '' if it is not. @param {import('./file-text.js').NamedFile} file @param {number | undefined} most bytes */
export function sizeProblem({ name, size }, most = Infinity) {
  if (size <= most) return '';
  const [own, limit] = differentWords(size, most);
  return `“${name}” has ${own}. At most ${limit} are accepted here.`;
}

/**
 * Why a body is too large; '' if it is not. Files that are permitted one by one can be too large together.
 * @param {any} body JSON, with the contents of its files @param {number} most bytes
 */
export function bodyProblem(body, most) {
  const { size } = new Blob([JSON.stringify(body)]);
  if (size <= most) return '';
  const [own, limit] = differentWords(size, most);
  return `The body has ${own} as JSON, where a file is a third larger. At most ${limit} are accepted. Nothing was sent.`;
}

/** Two sizes in words, in bytes if they would look the same. @param {number} size @param {number} most */
function differentWords(size, most) {
  const words = [size, most].map(sizeWords);
  return words[0] === words[1] ? [size, most].map((bytes) => `${formatNumber(bytes)} bytes`) : words;
}
