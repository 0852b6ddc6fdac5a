// One line of Markdown, with the position up to which it has been read. Indentation is counted in columns: a tab
// ends at the next multiple of four.

/**
 * @typedef {object} Line
 * @property {string} text
 * @property {number} at index of the next character
 * @property {number} column of the next character
 * @property {number} pending remaining columns of a tab that has been read in part
 */

/** @param {string} text @returns {Line} */
export function createLine(text) {
  return { text, at: 0, column: 0, pending: 0 };
}

/** @param {Line} line @returns {number} columns of white space before the next character */
export function indentOf({ text, at, column, pending }) {
  let end = column + pending;
  for (; isSpace(text[at]); at += 1) end += text[at] === '\t' ? 4 - (end % 4) : 1;
  return end - column;
}

/** Reads white space of at most the given number of columns. @param {Line} line @param {number} columns */
export function skipIndent(line, columns) {
  const kept = Math.min(columns, line.pending);
  line.pending -= kept;
  line.column += kept;
  for (let left = columns - kept; left > 0 && isSpace(line.text[line.at]); ) {
    const width = line.text[line.at] === '\t' ? 4 - (line.column % 4) : 1;
    line.at += 1;
    line.pending = Math.max(0, width - left);
    line.column += Math.min(width, left);
    left -= width;
  }
}

/** Reads characters that are not white space. @param {Line} line @param {number} count */
export function skipMark(line, count) {
  line.at += count;
  line.column += count;
}

/** @param {Line} line @returns {string} the rest of the line, without white space at its start */
export function textOf(line) {
  let { at } = line;
  while (isSpace(line.text[at])) at += 1;
  return line.text.slice(at);
}

/** @param {Line} line @returns {string} the rest of the line, unchanged */
export function restOf({ text, at, pending }) {
  return ' '.repeat(pending) + text.slice(at);
}

/** @param {string | undefined} letter */
function isSpace(letter) {
  return letter === ' ' || letter === '\t';
}
