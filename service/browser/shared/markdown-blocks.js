// Parses a safe subset of Markdown into a tree of blocks. Pure. Any text gives a tree, also one that
// ends in the middle, because a reply is shown while it is still being received.

import { parseInline } from './markdown-inline.js';

/**
 * @typedef {import('./markdown-inline.js').Inline} Inline
 * @typedef {{kind: 'paragraph', children: Inline[]}
 *   | {kind: 'heading', level: number, children: Inline[]}
 *   | {kind: 'code', language: string, text: string}
 *   | {kind: 'quote', blocks: Block[]}
 *   | {kind: 'list', ordered: boolean, start: number, items: Block[][]}
 *   | {kind: 'table', head: Inline[][], rows: Inline[][][]}
 *   | {kind: 'rule'}} Block
 * @typedef {{block: Block, next: number} | null} BlockMatch
 */

const DEPTH = 6;
const FENCE = /^ {0,3}(```+|~~~+) *([^\s`]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])(\s+)(?=\S)/;
const DELIMITERS = /^ *\|?( *:?-+:? *\|)+( *:?-+:? *)?$/;
const TAKERS = [takeFence, takeHeading, takeRule, takeQuote, takeList, takeTable];

/** @param {string} text @param {number} [depth] @returns {Block[]} */
export function parseBlocks(text, depth = 0) {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\t/g, '    ').split('\n');
  /** @type {Block[]} */
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const { block, next } = takeBlock(lines, at, depth) ?? takeParagraph(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

/** @param {string[]} lines @param {number} at @param {number} depth @returns {BlockMatch} */
function takeBlock(lines, at, depth) {
  if (depth >= DEPTH) return null;
  for (const taker of TAKERS) {
    const match = taker(lines, at, depth);
    if (match) return match;
  }
  return null;
}

/** @param {string[]} lines @param {number} at @returns {BlockMatch} an unclosed fence extends to the end of the text */
function takeFence(lines, at) {
  const match = FENCE.exec(lines[at]);
  if (!match) return null;
  const closing = new RegExp(`^ {0,3}${match[1][0]}{${match[1].length},}\\s*$`);
  let end = at + 1;
  while (end < lines.length && !closing.test(lines[end])) end += 1;
  const text = lines.slice(at + 1, end).join('\n');
  return { block: { kind: 'code', language: match[2], text }, next: end + 1 };
}

/** @param {string[]} lines @param {number} at @returns {BlockMatch} */
function takeHeading(lines, at) {
  const match = HEADING.exec(lines[at]);
  if (!match) return null;
  const children = parseInline(match[2]);
  return { block: { kind: 'heading', level: match[1].length, children }, next: at + 1 };
}

/** @param {string[]} lines @param {number} at @returns {BlockMatch} */
function takeRule(lines, at) {
  return RULE.test(lines[at]) ? { block: { kind: 'rule' }, next: at + 1 } : null;
}

/** @param {string[]} lines @param {number} at @param {number} depth @returns {BlockMatch} */
function takeQuote(lines, at, depth) {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end += 1;
  if (end === at) return null;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ''));
  return { block: { kind: 'quote', blocks: parseBlocks(inner.join('\n'), depth + 1) }, next: end };
}

/** @param {string[]} lines @param {number} at @param {number} depth @returns {BlockMatch} */
function takeList(lines, at, depth) {
  const first = ITEM.exec(lines[at]);
  if (!first || first[1].length > 3) return null;
  const ordered = /\d/.test(first[2]);
  /** @type {Block[][]} */
  const items = [];
  let end = at;
  while (end < lines.length && startsItem(lines[end], ordered)) {
    const next = endOfItem(lines, end);
    items.push(parseBlocks(itemText(lines.slice(end, next)), depth + 1));
    end = next;
  }
  const start = ordered ? parseInt(first[2], 10) : 1;
  return { block: { kind: 'list', ordered, start, items }, next: end };
}

/** @param {string} line @param {boolean} ordered whether it starts an item of such a list */
function startsItem(line, ordered) {
  const match = ITEM.exec(line);
  return match !== null && match[1].length <= 3 && /\d/.test(match[2]) === ordered;
}

/** @param {string[]} lines @param {number} at @returns {number} the line after an item */
function endOfItem(lines, at) {
  let end = at + 1;
  for (let line = end; line < lines.length; line += 1) {
    if (!lines[line].trim()) continue; // a blank line is inside the item if the next line is
    if (!isInsideItem(lines, line, indent(lines[at]))) break;
    end = line + 1;
  }
  // Blank lines between two items do not end the list.
  let next = end;
  while (next < lines.length && !lines[next].trim()) next += 1;
  return next < lines.length && ITEM.test(lines[next]) ? next : end;
}

/** @param {string[]} lines @param {number} at @param {number} outer the item's own indentation */
function isInsideItem(lines, at, outer) {
  const line = lines[at];
  if (ITEM.test(line)) return indent(line) > outer + 1;
  const continued = lines[at - 1].trim() !== '' && !interrupts(lines, at);
  return continued || indent(line) > outer + 1;
}

/** @param {string} line */
const indent = (line) => line.length - line.trimStart().length;

/** @param {string[]} lines an item's lines, without its mark and its indentation */
function itemText(lines) {
  const mark = /** @type {RegExpExecArray} */ (ITEM.exec(lines[0]))[0].length;
  const rest = lines.slice(1).map((line) => line.slice(Math.min(indent(line), mark)));
  return [lines[0].slice(mark), ...rest].join('\n');
}

/** @param {string[]} lines @param {number} at @returns {BlockMatch} */
function takeTable(lines, at) {
  if (!lines[at].includes('|') || !DELIMITERS.test(lines[at + 1] ?? '')) return null;
  const head = cells(lines[at]);
  const rows = [];
  let end = at + 2;
  for (; end < lines.length && lines[end].includes('|'); end += 1) {
    const row = cells(lines[end]).slice(0, head.length);
    rows.push([...row, ...Array(head.length - row.length).fill([])]);
  }
  return { block: { kind: 'table', head, rows }, next: end };
}

/** @param {string} line @returns {Inline[][]} */
function cells(line) {
  const inner = line.trim().replace(/^\|/, '').replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => parseInline(cell.trim().replace(/\\\|/g, '|')));
}

/** @param {string[]} lines @param {number} at @param {number} depth */
function takeParagraph(lines, at, depth) {
  let end = at + 1;
  const continues = (/** @type {number} */ line) =>
    Boolean(lines[line]?.trim()) && (depth >= DEPTH || !interrupts(lines, line));
  while (continues(end)) end += 1;
  const text = lines.slice(at, end).map((line) => line.trim()).join('\n');
  /** @type {Block} */
  const block = { kind: 'paragraph', children: parseInline(text) };
  return { block, next: end };
}

/** @param {string[]} lines @param {number} at whether this line ends the paragraph before it */
function interrupts(lines, at) {
  const line = lines[at];
  const starts = [FENCE, HEADING, RULE, /^ {0,3}>/, /^ {0,3}([-*+]|1[.)])\s+\S/];
  return starts.some((start) => start.test(line)) || takeTable(lines, at) !== null;
}
