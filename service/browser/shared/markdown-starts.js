// Recognizes the lines that begin or continue a block of Markdown. Source: the CommonMark specification, chapters 4
// and 5; tables follow GitHub's specification, and formulas on separate lines follow TeX.

import { indentOf, skipIndent, skipMark, textOf } from './markdown-line.js';
import { alignmentsOf, cellsOf } from './markdown-tables.js';

/**
 * A block whose lines are still being read.
 * @typedef {object} Open
 * @property {'root' | 'quote' | 'list' | 'item' | 'paragraph' | 'heading' | 'code' | 'fence' | 'formula' | 'table' | 'rule'} kind
 * @property {Open[]} inside the blocks of a container
 * @property {string[]} lines the text of other blocks
 * @property {number} first the number of its first line
 * @property {number} last the number of its last line that is not blank
 * @property {number} decided the number of the line that makes it a separate block
 * @property {string} mark of a fence or formula: the closing mark, empty after it was read; of an item or list: its bullet
 * @property {string} info of a fence: the text after its mark
 * @property {number} indent of a fence: columns before it; of an item: columns before its content
 * @property {number} level of a heading; of an ordered list: its first number; of another list: -1
 * @property {import('./markdown-tables.js').Alignment[]} alignments of a table's columns
 *
 * @typedef {import('./markdown-line.js').Line} Line
 */

const QUOTE = /^>/;
const HEADING = /^(#{1,6})(?=[ \t]|$)/;
const FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$/;
const FORMULA = /^(\$\$|\\\[)(?:\s*$|\s*\\begin\b)/;
const UNDERLINE = /^(=+|-+)[ \t]*$/;
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^(?:([-*+])|(\d{1,9})([.)]))(?=[ \t]|$)/;
const BULLET = /^[-*+][ \t]+\S/;

/** @param {Open['kind']} kind @param {number} number of its first line @param {Partial<Open>} [more] @returns {Open} */
export function openBlock(kind, number, more) {
  const empty = { inside: [], lines: [], mark: '', info: '', indent: 0, level: -1, alignments: [] };
  return { kind, first: number, last: number, decided: number, ...empty, ...more };
}

/**
 * The block that a line begins. The line is read up to the content of the block.
 * @param {Line} line @param {number} number @param {Open} around the innermost block that the line is in
 * @returns {Open | null} an item is returned without its list
 */
export function startOf(line, number, around) {
  const indent = indentOf(line);
  const text = textOf(line);
  if (indent > 3 || !text) return null;
  if (QUOTE.test(text)) return startQuote(line, number, indent);
  return startHeading(text, number) ?? startFence(text, number, indent) ?? startFormula(text, number)
    ?? (RULE.test(text) ? openBlock('rule', number) : startItem(line, text, number, indent, around));
}

/** @param {Line} line @param {number} number @param {number} indent */
function startQuote(line, number, indent) {
  skipIndent(line, indent);
  skipMark(line, 1);
  skipIndent(line, 1);
  return openBlock('quote', number);
}

/** @param {string} text @param {number} number */
function startHeading(text, number) {
  const match = HEADING.exec(text);
  if (!match) return null;
  const words = text.slice(match[1].length).trim();
  let end = words.length;
  while (words[end - 1] === '#') end -= 1;
  const isClosed = end === 0 || /\s/.test(words[end - 1]);
  const lines = [isClosed ? words.slice(0, end).trimEnd() : words];
  return openBlock('heading', number, { level: match[1].length, lines });
}

/** @param {string} text @param {number} number @param {number} indent */
function startFence(text, number, indent) {
  const match = FENCE.exec(text);
  if (!match) return null;
  return openBlock('fence', number, { mark: match[1] ?? match[3], info: (match[2] ?? match[4]).trim(), indent });
}

/** @param {string} text @param {number} number */
function startFormula(text, number) {
  const match = FORMULA.exec(text);
  if (!match) return null;
  return openBlock('formula', number, { mark: match[1] === '$$' ? '$$' : '\\]' });
}

/** @param {Line} line @param {string} text @param {number} number @param {number} indent @param {Open} around */
function startItem(line, text, number, indent, around) {
  const match = ITEM.exec(text);
  if (!match) return null;
  const [sign, bullet, digits, delimiter] = match;
  const isEmpty = !text.slice(sign.length).trim();
  // Inside a paragraph, a line that begins with a number is seldom a list item, unless the number is 1.
  if (around.kind === 'paragraph' && (isEmpty || (digits && Number(digits) !== 1))) return null;
  skipIndent(line, indent);
  skipMark(line, sign.length);
  const space = indentOf(line);
  const after = isEmpty || space > 4 ? 1 : space; // more spaces are the indentation of code in the item
  skipIndent(line, after);
  const level = digits ? Number(digits) : -1;
  return openBlock('item', number, { mark: bullet ?? delimiter, level, indent: indent + sign.length + after });
}

/**
 * The heading or table into which a line turns the paragraph before it, if it does.
 * @param {Open} paragraph @param {string} text the line without white space at its start @param {number} number
 * @returns {Open | null} the block that follows the paragraph, or replaces it if no lines of it are left
 */
export function blockFromParagraph(paragraph, text, number) {
  const { lines, first } = paragraph;
  if (UNDERLINE.test(text)) {
    const level = text[0] === '=' ? 1 : 2;
    return openBlock('heading', first, { level, lines: lines.splice(0), decided: paragraph.decided, last: number });
  }
  const alignments = alignmentsOf(text);
  if (!alignments || cellsOf(lines[lines.length - 1]).length !== alignments.length) return null;
  const head = lines.splice(-1);
  const decided = lines.length ? number : paragraph.decided;
  return openBlock('table', number - 1, { lines: head, alignments, decided, last: number });
}

/**
 * Whether a line continues a block. The line is read up to the content of the block. A line that closes a fence or a
 * formula belongs to the block; it empties the block's `mark`.
 * @param {Open} block @param {Line} line @param {Open} parent
 */
export function continuesBlock(block, line, parent) {
  const indent = indentOf(line);
  const text = textOf(line);
  switch (block.kind) {
    case 'quote':
      return indent < 4 && QUOTE.test(text) && Boolean(startQuote(line, 0, indent));
    case 'list':
      return true;
    case 'item':
      return continuesItem(block, line, text, indent, parent);
    case 'paragraph':
      return text !== '';
    case 'code':
      return continuesCode(line, text, indent);
    case 'fence':
      if (indent < 4 && closesFence(text, block.mark)) block.mark = '';
      else skipIndent(line, Math.min(indent, block.indent));
      return true;
    case 'formula':
      if (!text) block.info = 'cut'; // a blank line ends it: a formula has no blank lines
      else if (text.trimEnd().endsWith(block.mark)) block.mark = '';
      return text !== '';
    case 'table':
      return text.includes('|') && !startOf({ ...line }, 0, block);
    default:
      return false;
  }
}

/** @param {Open} item @param {Line} line @param {string} text @param {number} indent @param {Open} list */
function continuesItem(item, line, text, indent, list) {
  // Models often indent bullets below "1." by two columns.
  if (indent > 1 && indent < item.indent && list.level >= 0 && BULLET.test(text)) item.indent = indent;
  if (text ? indent < item.indent : !item.inside.length) return false;
  skipIndent(line, item.indent);
  return true;
}

/** @param {Line} line @param {string} text @param {number} indent */
function continuesCode(line, text, indent) {
  if (text && indent < 4) return false;
  skipIndent(line, 4);
  return true;
}

/** @param {string} text @param {string} mark */
function closesFence(text, mark) {
  const signs = text.trimEnd();
  return signs.length >= mark.length && signs === mark[0].repeat(signs.length);
}
