// The text that stands for a chosen file where its base64 would be: in a form, in a draft, in the body as JSON, and in
// the code. No base64 and no address has this form. Files with the same content have the same digest.

const FORM = /^<(.+), (\d+) bytes, [0-9a-f]{16}>$/s;
const LINE_BREAKS = /[\p{Cc}\u2028\u2029]/gu; // a text field would change them
export const UNKNOWN = '0'.repeat(16); // the digest of a file that is not read yet

/** @typedef {{name: string, size: number}} NamedFile its size in bytes */

/** @param {NamedFile} file @param {string} [digest] 16 hexadecimal digits @returns {string} "<report.pdf, 12345 bytes, 9f3c0a1b2d4e5f60>" */
export function textOfFile({ name, size }, digest = UNKNOWN) {
  return `<${name.replace(LINE_BREAKS, ' ') || 'file'}, ${size} bytes, ${digest}>`;
}

/** @param {unknown} text @returns {NamedFile | null} null if the text does not stand for a file */
export function fileOfText(text) {
  const [, name = '', size = ''] = (typeof text === 'string' && FORM.exec(text)) || [];
  return name ? { name, size: Number(size) } : null;
}

/** The texts in a value, in their order in its JSON. @param {any} value JSON @param {(string | number)[]} [path] @returns {{path: (string | number)[], text: string}[]} */
export function textsIn(value, path = []) {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, at) => textsIn(item, [...path, at]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key]));
}
