// Parses the text inside a block: code, formulas, links, images, emphasis. Pure; the result is a
// tree, never HTML. Each part of the text is read a bounded number of times.
// Source: the CommonMark specification, chapter 6.

import { delimiterAt, joinTexts, pairDelimiters } from './markdown-emphasis.js';
import { autolinkAt, bareLinkAt, targetAt, unescapeText } from './markdown-links.js';

export { unescapeText };

/**
 * @typedef {{kind: 'text' | 'code' | 'formula', text: string}
 *   | {kind: 'break', isHard: boolean}
 *   | {kind: 'strong' | 'em' | 'del', children: Inline[], depth: number}
 *   | {kind: 'link', target: string, children: Inline[]}
 *   | {kind: 'image', target: string, alt: string}} Inline `target` may be any text that the author wrote
 *
 * @typedef {{isImage: boolean, place: number, delimiters: number}} Bracket an open bracket: its index
 *   among the nodes, and the number of delimiters before it
 *
 * @typedef {object} Scan
 * @property {string} text
 * @property {number} at
 * @property {(Inline | null)[]} nodes null in place of a node that was moved into another one
 * @property {import('./markdown-emphasis.js').Delimiter[]} delimiters
 * @property {Bracket[]} brackets
 * @property {number} linksFrom no bracket before this index begins a link, because a link can't contain links
 * @property {(sign: string, from: number) => number} find returns the next position of a character, or -1
 */

const PLAIN = /[^\\`*_~[\]!<&$\nhm]+/iy;
const WORD = /[\p{L}\p{N}]/u;
const LINE_BREAK_TAG = /<br ?\/?>/iy;
const MOST_FORMULA = 1000; // characters
const READERS = {
  '\n': readBreak, '\\': readEscape, '`': readCode, '$': readFormula, '*': readDelimiter, _: readDelimiter,
  '~': readDelimiter, '[': readBracket, '!': readBracket, ']': readBracketEnd, '<': readAngle, '&': readEntity,
  h: readBareLink, H: readBareLink, m: readBareLink, M: readBareLink,
};

/** @param {string} text @returns {Inline[]} */
export function parseInline(text) {
  /** @type {Scan} */
  const scan = { text, at: 0, nodes: [], delimiters: [], brackets: [], linksFrom: 0, find: finder(text) };
  while (scan.at < text.length) {
    const plain = matchAt(PLAIN, text, scan.at);
    const reader = /** @type {Record<string, ((scan: Scan) => boolean) | undefined>} */ (READERS)[text[scan.at]];
    if (plain) addText(scan, plain[0], plain[0].length);
    else if (!reader?.(scan)) addText(scan, text[scan.at], 1);
  }
  pairDelimiters(scan.nodes, scan.delimiters, 0);
  return joinTexts(scan.nodes, 0);
}

/** @param {RegExp} pattern a sticky one @param {string} text @param {number} at */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Remembers the last position of each character, so that all searches together read the text once per character. @param {string} text */
function finder(text) {
  /** @type {Record<string, number>} */
  const known = {};
  return (/** @type {string} */ sign, /** @type {number} */ from) => {
    if (!(known[sign] >= from)) {
      const found = text.indexOf(sign, from);
      known[sign] = found < 0 ? Infinity : found;
    }
    return known[sign] === Infinity ? -1 : known[sign];
  };
}

/** @param {Scan} scan @param {string} text to show @param {number} length of the source that was read */
function addText(scan, text, length) {
  return add(scan, { kind: 'text', text }, length);
}

/** @param {Scan} scan @param {Inline} node @param {number} length of the source that was read */
function add(scan, node, length) {
  scan.nodes.push(node);
  scan.at += length;
  return true;
}

/** Reads the end of a line, with the spaces before it. @param {Scan} scan */
function readBreak(scan) {
  const last = scan.nodes[scan.nodes.length - 1];
  const isHard = last?.kind === 'text' && last.text.endsWith('  ');
  if (last?.kind === 'text') last.text = last.text.trimEnd();
  return add(scan, { kind: 'break', isHard }, 1 + spacesAt(scan.text, scan.at + 1));
}

/** @param {string} text @param {number} at */
function spacesAt(text, at) {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  return end - at;
}

/** @param {Scan} scan */
function readEscape(scan) {
  const { text, at, find } = scan;
  const next = text[at + 1] ?? '';
  if (next === '\n') return add(scan, { kind: 'break', isHard: true }, 2 + spacesAt(text, at + 2));
  if (next === '(' || next === '[') {
    const end = find(next === '(' ? '\\)' : '\\]', at + 2);
    const inside = text.slice(at + 2, Math.min(end, at + MOST_FORMULA));
    // Models write `\(` almost only for formulas, but `\[` also for a plain bracket: such a formula needs a sign of TeX.
    const isFormula = end > at + 2 && inside.trim() && (next === '(' || /[\\^_=+]/.test(inside));
    if (isFormula && end - at < MOST_FORMULA) return add(scan, { kind: 'formula', text: text.slice(at, end + 2) }, end + 2 - at);
  }
  return /[!-/:-@[-`{-~]/.test(next) && addText(scan, next, 2);
}

/** Reads `$x$` by Pandoc's rules, so that prices are not formulas, and `$$x$$` anywhere. @param {Scan} scan */
function readFormula(scan) {
  const { text, at, find } = scan;
  const sign = text[at + 1] === '$' ? '$$' : '$';
  const end = find(sign, at + sign.length);
  if (end < 0 || end === at + sign.length || end - at > MOST_FORMULA) return addText(scan, sign, sign.length);
  const inside = text.slice(at + sign.length, end);
  const isPrice = /^\s|[\s\\]$|\*\*|`/.test(inside) || /\d/.test(text[end + 1] ?? '');
  if (sign === '$' && isPrice) return false;
  const length = end + sign.length - at;
  return add(scan, { kind: 'formula', text: text.slice(at, at + length) }, length);
}

/** @param {Scan} scan */
function readCode(scan) {
  const { text, at, find } = scan;
  let start = at;
  while (text[start] === '`') start += 1;
  const fence = text.slice(at, start);
  const end = endOfCode(text, fence, start, find);
  if (end < 0) return addText(scan, fence, fence.length);
  const code = text.slice(start, end).replace(/\n/g, ' ');
  const isPadded = code[0] === ' ' && code.endsWith(' ') && code.trim() !== '';
  return add(scan, { kind: 'code', text: isPadded ? code.slice(1, -1) : code }, end + fence.length - at);
}

/** @param {string} text @param {string} fence @param {number} start @param {Scan['find']} find */
function endOfCode(text, fence, start, find) {
  // `find` searches for the fence as a plain string, so the characters around it are checked here.
  for (let at = find(fence, start); at >= 0; ) {
    let end = at;
    while (text[end] === '`') end += 1;
    if (end - at === fence.length) return at;
    at = find(fence, end);
  }
  return -1;
}

/** @param {Scan} scan */
function readDelimiter(scan) {
  const delimiter = delimiterAt(scan.text, scan.at, scan.nodes.length);
  if (delimiter.canOpen || delimiter.canClose) scan.delimiters.push(delimiter);
  return addText(scan, scan.text[scan.at].repeat(delimiter.count), delimiter.count);
}

/** @param {Scan} scan */
function readBracket(scan) {
  const { text, at, nodes, delimiters, brackets } = scan;
  const isImage = text[at] === '!';
  if (isImage && text[at + 1] !== '[') return false;
  brackets.push({ isImage, place: nodes.length, delimiters: delimiters.length });
  return addText(scan, isImage ? '![' : '[', isImage ? 2 : 1);
}

/** @param {Scan} scan */
function readBracketEnd(scan) {
  const { text, at, nodes, delimiters, brackets } = scan;
  const bracket = brackets.pop();
  if (!bracket || (!bracket.isImage && bracket.place < scan.linksFrom)) return false;
  const match = targetAt(text, at + 1);
  if (!match) return false;
  pairDelimiters(nodes, delimiters, bracket.delimiters);
  const children = joinTexts(nodes, bracket.place + 1);
  nodes.length = bracket.place;
  if (!bracket.isImage) scan.linksFrom = nodes.length;
  const { target, length } = match;
  if (bracket.isImage) return add(scan, { kind: 'image', target, alt: shownText(children) }, 1 + length);
  return add(scan, { kind: 'link', target, children }, 1 + length);
}

/** @param {Scan} scan */
function readAngle(scan) {
  const tag = matchAt(LINE_BREAK_TAG, scan.text, scan.at); // the only HTML tag that is supported: models use it in tables
  if (tag) return add(scan, { kind: 'break', isHard: true }, tag[0].length);
  return addLink(scan, autolinkAt(scan.text, scan.at));
}

/** @param {Scan} scan */
function readBareLink(scan) {
  const { text, at } = scan;
  return !WORD.test(text[at - 1] ?? '') && addLink(scan, bareLinkAt(text, at));
}

/** @param {Scan} scan @param {{target: string, label: string, length: number} | null} link */
function addLink(scan, link) {
  if (!link) return false;
  return add(scan, { kind: 'link', target: link.target, children: [{ kind: 'text', text: link.label }] }, link.length);
}

/** @param {Scan} scan */
function readEntity(scan) {
  const written = /^[^;]*;/.exec(scan.text.slice(scan.at, scan.at + 12))?.[0] ?? '';
  const text = unescapeText(written);
  return text !== written && addText(scan, text, written.length);
}

/** @param {Inline[]} nodes @returns {string} */
function shownText(nodes) {
  return nodes.map((node) => {
    if ('children' in node) return shownText(node.children);
    return node.kind === 'image' ? node.alt : node.kind === 'break' ? ' ' : node.text;
  }).join('');
}
