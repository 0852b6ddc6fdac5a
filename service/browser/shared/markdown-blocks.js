// Parses Markdown into a tree of blocks. Pure. Every text gives a tree, even one that ends in the middle of a
// block, because a reply is shown while it is still being received.
// Source: the CommonMark specification 0.31, without HTML and without link reference definitions.

import { parseInline, unescapeText } from './markdown-inline.js';
import { createLine, indentOf, restOf, skipIndent, textOf } from './markdown-line.js';
import { continuesBlock, openBlock, startOf, blockFromParagraph } from './markdown-starts.js';
import { cellsOf } from './markdown-tables.js';

/**
 * @typedef {import('./markdown-inline.js').Inline} Inline
 * @typedef {import('./markdown-tables.js').Alignment} Alignment
 * @typedef {import('./markdown-starts.js').Open} Open
 * @typedef {{isDone: boolean | null, blocks: Block[]}} Item `isDone` is null for an item that is not a task
 * @typedef {{kind: 'paragraph', children: Inline[]}
 *   | {kind: 'heading', level: number, children: Inline[]}
 *   | {kind: 'code', language: string, text: string}
 *   | {kind: 'formula', text: string}
 *   | {kind: 'quote', blocks: Block[]}
 *   | {kind: 'list', start: number | null, isLoose: boolean, items: Item[]}
 *   | {kind: 'table', alignments: Alignment[], head: Inline[][], rows: Inline[][][]}
 *   | {kind: 'rule'}} Block `start` is null for a list without numbers
 */

const DEPTH = 16; // levels of containers; anything deeper becomes text
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;

/** @param {string} text @returns {Block[]} */
export function parseBlocks(text) {
  return parseOpen(text).blocks.map(toBlock);
}

/**
 * The outermost blocks of a text that may still grow, and how many of them are settled: no text that is appended
 * can change a settled block.
 * @param {string} text
 * @returns {{blocks: Open[], settled: number, offset: number}} how many blocks are settled, and
 *   where the text of the first unsettled block begins
 */
export function parseOpen(text) {
  const ends = [...text.matchAll(/\r\n?|\n/g)];
  const root = openBlock('root', 0);
  const stack = [root];
  let start = 0;
  /** @type {number[]} */
  const starts = [];
  for (const { index, 0: end } of [...ends, { index: text.length, 0: '' }]) {
    readLine(stack, createLine(text.slice(start, index)), starts.length);
    starts.push(start);
    start = index + end.length;
  }
  const settled = Math.max(0, root.inside.findLastIndex(({ decided }) => decided < ends.length));
  return { blocks: root.inside, settled, offset: starts[root.inside[settled]?.first ?? 0] };
}

/** @param {Open[]} stack the open blocks, outermost first @param {import('./markdown-line.js').Line} line @param {number} number */
function readLine(stack, line, number) {
  let depth = 1;
  while (depth < stack.length && continuesBlock(stack[depth], line, stack[depth - 1])) depth += 1;
  const paragraph = stack[stack.length - 1].kind === 'paragraph' ? stack[stack.length - 1] : null;
  const isInParagraph = paragraph !== null && depth === stack.length;
  if (isInParagraph && replaceParagraph(stack, line, number)) return;
  const before = depth;
  depth = startBlocks(stack, depth, line, number, paragraph !== null);
  const isBlank = !textOf(line);
  if (paragraph && depth === before && !isBlank) depth = stack.length; // a paragraph continues even with fewer container marks
  if (depth < stack.length) stack.length = depth;
  addLine(stack, line, number, isBlank);
}

/**
 * Opens the blocks that begin in a line.
 * @param {Open[]} stack @param {number} depth how many blocks of the stack the line is in
 * @param {import('./markdown-line.js').Line} line @param {number} number @param {boolean} goesOnAsText whether
 *   indentation can't begin code, because the line may belong to a paragraph
 * @returns {number} how many blocks the line is in after that
 */
function startBlocks(stack, depth, line, number, goesOnAsText) {
  for (let isFirst = true; ; isFirst = false) {
    const around = stack[depth - 1];
    if (isVerbatim(around)) return depth;
    if (indentOf(line) > 3 && textOf(line) && !(isFirst && goesOnAsText)) {
      skipIndent(line, 4);
      return place(stack, depth, openBlock('code', number));
    }
    if (depth > DEPTH * 2) return depth;
    const block = startOf(line, number, around);
    if (!block) return depth;
    depth = place(stack, depth, block);
    if (block.kind !== 'quote' && block.kind !== 'item') return depth;
  }
}

/** @param {Open} block */
function isVerbatim({ kind }) {
  return kind === 'code' || kind === 'fence' || kind === 'formula' || kind === 'table';
}

/**
 * Puts a block into the innermost block that can contain it, among the first `depth` blocks of the stack.
 * @param {Open[]} stack @param {number} depth @param {Open} block @returns {number} the length of the stack
 */
function place(stack, depth, block) {
  stack.length = depth;
  if (isLeaf(stack[stack.length - 1])) stack.pop();
  const list = stack[stack.length - 1];
  const isNext = list.kind === 'list' && block.kind === 'item' && list.mark === block.mark;
  if (list.kind === 'list' && !isNext) stack.pop();
  if (block.kind === 'item' && !isNext) {
    const { mark, level, first } = block;
    place(stack, stack.length, openBlock('list', first, { mark, level }));
  }
  stack[stack.length - 1].inside.push(block);
  return stack.push(block);
}

/** @param {Open} block */
function isLeaf({ kind }) {
  return kind !== 'root' && kind !== 'quote' && kind !== 'list' && kind !== 'item';
}

/**
 * Turns the open paragraph into a heading or a table, if the line is its underline.
 * @param {Open[]} stack @param {import('./markdown-line.js').Line} line @param {number} number
 */
function replaceParagraph(stack, line, number) {
  const paragraph = stack[stack.length - 1];
  const block = indentOf(line) < 4 ? blockFromParagraph(paragraph, textOf(line), number) : null;
  if (!block) return false;
  stack.pop();
  const { inside } = stack[stack.length - 1];
  if (!paragraph.lines.length) inside.pop();
  inside.push(block);
  stack.push(block);
  for (const each of stack) each.last = number;
  if (block.kind === 'heading') stack.pop();
  return true;
}

/** @param {Open[]} stack @param {import('./markdown-line.js').Line} line @param {number} number @param {boolean} isBlank */
function addLine(stack, line, number, isBlank) {
  let block = stack[stack.length - 1];
  if (!isBlank && !isLeaf(block)) {
    place(stack, stack.length, openBlock('paragraph', number));
    block = stack[stack.length - 1];
  }
  const quote = stack.findLastIndex(({ kind }) => kind === 'quote'); // a line with only the mark of the quote is not blank
  const counted = isBlank && block.kind !== 'fence' ? quote + 1 : stack.length;
  for (const each of stack.slice(0, counted)) each.last = number;
  if (block.kind === 'paragraph' || block.kind === 'table') block.lines.push(textOf(line));
  else if (block.kind === 'formula') block.lines.push(restOf(line));
  else if (block.kind === 'code' || (block.kind === 'fence' && block.mark && block.first < number)) block.lines.push(restOf(line));
  const isClosed = block.kind === 'rule' || block.kind === 'heading'
    || ((block.kind === 'fence' || block.kind === 'formula') && !block.mark);
  if (isClosed) stack.pop();
}

/** @param {Open} block @returns {Block} */
export function toBlock(block) {
  const { kind, lines } = block;
  switch (kind) {
    case 'heading':
      return { kind, level: block.level, children: parseInline(lines.join('\n').trim()) };
    case 'code':
      return { kind, language: '', text: withoutBlankEnd(lines).join('\n') };
    case 'fence':
      return { kind: 'code', language: unescapeText(block.info.split(/\s/, 1)[0]), text: lines.join('\n') };
    case 'formula':
      return toFormula(block);
    case 'quote':
      return { kind, blocks: block.inside.map(toBlock) };
    case 'list':
      return toList(block);
    case 'table':
      return toTable(block);
    case 'rule':
      return { kind };
    default:
      return { kind: 'paragraph', children: parseInline(lines.join('\n').trimEnd()) };
  }
}

/** A formula, or a paragraph if a blank line has ended it: a formula has no blank lines. @param {Open} block @returns {Block} */
function toFormula({ lines, mark, info }) {
  const text = lines.join('\n');
  return mark && info ? { kind: 'paragraph', children: parseInline(text) } : { kind: 'formula', text };
}

/** @param {string[]} lines */
function withoutBlankEnd(lines) {
  return lines.slice(0, lines.findLastIndex((line) => line.trim()) + 1);
}

/** @param {Open} list @returns {Block} */
function toList({ inside, level }) {
  /** @param {Open[]} blocks whether a blank line is between two of them */
  const isApart = (blocks) => blocks.some(({ first }, at) => at > 0 && first - blocks[at - 1].last > 1);
  const isLoose = isApart(inside) || inside.some((item) => isApart(item.inside));
  return { kind: 'list', start: level < 0 ? null : level, isLoose, items: inside.map(toItem) };
}

/** @param {Open} item @returns {Item} */
function toItem({ inside: [first, ...rest] }) {
  const [mark, sign] = (first?.kind === 'paragraph' && TASK.exec(first.lines[0])) || ['', ''];
  const blocks = rest.map(toBlock);
  if (!first) return { isDone: null, blocks };
  const [head, ...more] = first.lines;
  const text = mark ? { ...first, lines: [head.slice(mark.length), ...more] } : first;
  return { isDone: mark ? sign !== ' ' : null, blocks: [toBlock(text), ...blocks] };
}

/** @param {Open} table @returns {Block} */
function toTable({ lines: [head, ...rows], alignments }) {
  /** @param {string} line */
  const cells = (line) => cellsOf(line).slice(0, alignments.length).map((cell) => parseInline(cell));
  return { kind: 'table', alignments, head: cells(head), rows: rows.map(cells) };
}
