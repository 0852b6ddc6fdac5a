// Writes a call as code in several languages. The token is a placeholder: the user's token is never put into a text
// that is meant to be copied.

import { fileOfText, textsIn } from './file-text.js';

/**
 * @typedef {{url: string, body: any}} Call `body` has a short text in the place of each file
 * @typedef {{text: string, file: string}} Piece of JSON: its text, or the name of the file whose base64 stands there
 * @typedef {{name: string, write: (call: Call) => string}} Language
 */

/** @type {Language[]} */
export const LANGUAGES = [
  { name: 'curl', write: curl },
  { name: 'JavaScript', write: javascript },
  { name: 'Python', write: python },
];

const INDENT = '    ';

/** @param {Call} call */
export function curl({ url, body }) {
  const json = JSON.stringify(body);
  const pieces = splitAtFiles(json, body);
  const hasFiles = pieces.length > 1;
  return [
    // The base64 of a file is too long for an argument of a command, so the body goes through a pipe.
    ...(hasFiles ? ['{', ...quotedPieces(pieces).map(shellLine), `} | curl ${shellWord(url)} \\`] : [`curl ${shellWord(url)} \\`]),
    '  -H "Authorization: Bearer $TOKEN" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${hasFiles ? '@-' : shellWord(json)}`,
  ].join('\n');
}

/** Puts the quotes that stand around the base64 of a file into the texts beside it. @param {Piece[]} pieces @returns {Piece[]} */
function quotedPieces(pieces) {
  return pieces.map(({ text, file }, at) => ({ file, text: [pieces[at - 1]?.file && '"', text, pieces[at + 1]?.file && '"'].filter(Boolean).join('') }));
}

/** `base64` breaks lines on some systems, so the line breaks are removed. @param {Piece} piece */
function shellLine({ text, file }) {
  return file ? `  base64 < ${shellWord(file)} | tr -d '\\n'` : `  printf %s ${shellWord(text)}`;
}

/** @param {Call} call */
export function javascript({ url, body }) {
  const pieces = splitAtFiles(JSON.stringify(body, null, 2), body);
  const value = pieces.map(({ text, file }) => (file ? `await readFile(${JSON.stringify(file)}, 'base64')` : text)).join('');
  const hasFiles = pieces.length > 1;
  return [
    ...(hasFiles ? ["import { readFile } from 'node:fs/promises';", ''] : []),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    "  method: 'POST',",
    "  headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },",
    `  body: JSON.stringify(${indented(value, '  ')}),`,
    '});',
    'const { success, data, message } = await response.json();',
    'if (!success) throw new Error(message);',
  ].join('\n');
}

/** @param {Call} call */
export function python({ url, body }) {
  const hasFiles = splitAtFiles(JSON.stringify(body), body).length > 1;
  return [
    ...(hasFiles ? ['from base64 import b64encode', 'from pathlib import Path', ''] : []),
    'import requests',
    '',
    'response = requests.post(',
    `${INDENT}${JSON.stringify(url)},`,
    `${INDENT}headers={"Authorization": f"Bearer {TOKEN}"},`,
    `${INDENT}json=${pythonLiteral(body, INDENT)},`,
    ')',
    'response.raise_for_status()',
    'data = response.json()["data"]',
  ].join('\n');
}

/** Quotes a text as one word for a POSIX shell. @param {string} text */
export function shellWord(text) {
  return /^[\w:/.,=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** @param {any} value JSON @param {string} [indent] of the current line @returns {string} */
export function pythonLiteral(value, indent = '') {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return fileLiteral(value) ?? pythonScalar(value);
  const inner = indent + INDENT;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(([key, item]) => `${pythonScalar(key)}: ${pythonLiteral(item, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (!items.length) return open + close;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
}

/** @param {unknown} value */
function fileLiteral(value) {
  const file = fileOfText(value);
  return file && `b64encode(Path(${pythonScalar(file.name)}).read_bytes()).decode()`;
}

/** A number or string for Python. JSON's escapes mean the same there, except for surrogate pairs. @param {string | number} value */
function pythonScalar(value) {
  return JSON.stringify(value);
}

/** @param {string} text @param {string} indent of all lines but the first */
function indented(text, indent) {
  return text.replaceAll('\n', `\n${indent}`);
}

/** Splits JSON where it has a chosen file: the code reads the file there. @param {string} json of the body @param {any} body @returns {Piece[]} */
function splitAtFiles(json, body) {
  const pieces = [];
  let rest = json;
  for (const { text } of textsIn(body)) {
    const file = fileOfText(text)?.name;
    if (file === undefined) continue;
    const at = rest.indexOf(JSON.stringify(text));
    pieces.push({ text: rest.slice(0, at), file: '' }, { text: '', file });
    rest = rest.slice(at + JSON.stringify(text).length);
  }
  return [...pieces, { text: rest, file: '' }];
}
