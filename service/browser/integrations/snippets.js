// Writes a call as code in several languages. The token is a placeholder: the user's token is never put into a text
// that is meant to be copied.

/**
 * @typedef {{url: string, body: any}} Call
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
  return [
    `curl ${shellWord(url)} \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellWord(JSON.stringify(body))}`,
  ].join('\n');
}

/** @param {Call} call */
export function javascript({ url, body }) {
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    "  method: 'POST',",
    "  headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },",
    `  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), '  ')}),`,
    '});',
    'const { success, data, message } = await response.json();',
    'if (!success) throw new Error(message);',
  ].join('\n');
}

/** @param {Call} call */
export function python({ url, body }) {
  return [
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
  if (typeof value !== 'object') return pythonScalar(value);
  const inner = indent + INDENT;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(([key, item]) => `${pythonScalar(key)}: ${pythonLiteral(item, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (!items.length) return open + close;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${indent}${close}`;
}

/** A number or string for Python. JSON's escapes mean the same there, except for surrogate pairs. @param {string | number} value */
function pythonScalar(value) {
  return JSON.stringify(value);
}

/** @param {string} text @param {string} indent of all lines but the first */
function indented(text, indent) {
  return text.replaceAll('\n', `\n${indent}`);
}
