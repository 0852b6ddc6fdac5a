// Parses the text inside a block: code, emphasis, links. Pure; the result is a tree, never HTML.

/**
 * @typedef {{kind: 'text', text: string} | {kind: 'code', text: string} | {kind: 'break'}
 *   | {kind: 'strong' | 'em' | 'del', children: Inline[]}
 *   | {kind: 'link', href: string, children: Inline[]}} Inline
 */

// How many characters are searched for a closing mark. Without a limit, the time for a reply made
// of opening marks alone would grow with the square of its length.
const SEARCH_LIMIT = 2000;
const MARK_SEARCH_LIMIT = 500;
const MARKS = /** @type {const} */ ([
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['*', 'em'],
  ['_', 'em'],
]);
const BARE_LINK = /^(?:https:\/\/|mailto:)[^\s<>"'`|\\]+/i;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;

/** @param {string} text @param {number} [depth] @returns {Inline[]} */
export function parseInline(text, depth = 0) {
  /** @type {Inline[]} */
  const nodes = [];
  let plain = '';
  let at = 0;
  while (at < text.length) {
    const token = take(text, at, depth);
    if (!token) {
      plain += text[at];
      at += 1;
      continue;
    }
    const [node, length] = token;
    if (node.kind === 'text') plain += node.text;
    else {
      if (plain) nodes.push({ kind: 'text', text: plain });
      plain = '';
      nodes.push(node);
    }
    at += length;
  }
  if (plain) nodes.push({ kind: 'text', text: plain });
  return nodes;
}

/** @param {string} text @param {number} at @param {number} depth @returns {[Inline, number] | null} */
function take(text, at, depth) {
  const letter = text[at];
  if (letter === '\n') return [{ kind: 'break' }, 1];
  if (letter === '\\' && ESCAPABLE.test(text[at + 1] ?? '')) {
    return [{ kind: 'text', text: text[at + 1] }, 2];
  }
  if (letter === '`') return takeCode(text, at);
  if (letter === '[' && depth < 4) return takeLink(text, at, depth);
  if (/[hm]/i.test(letter) && !WORD.test(text[at - 1] ?? '')) return takeBareLink(text, at);
  return depth < 4 ? takeEmphasis(text, at, depth) : null;
}

/** @param {string} text @param {number} at @returns {[Inline, number]} */
function takeCode(text, at) {
  const fence = /^`+/.exec(text.slice(at, at + 20))?.[0] ?? '`';
  const start = at + fence.length;
  const end = text.slice(start, start + SEARCH_LIMIT).indexOf(fence);
  if (end < 0) return [{ kind: 'text', text: fence }, fence.length];
  const code = text.slice(start, start + end);
  return [{ kind: 'code', text: code.trim() || code }, end + 2 * fence.length];
}

/** @param {string} text @param {number} at @param {number} depth @returns {[Inline, number] | null} */
function takeEmphasis(text, at, depth) {
  const mark = MARKS.find(([sign]) => text.startsWith(sign, at));
  if (!mark) return null;
  const [sign, kind] = mark;
  // snake_case is a word, not emphasis
  if (sign[0] === '_' && WORD.test(text[at - 1] ?? '')) return null;
  const start = at + sign.length;
  if (/\s|^$/.test(text[start] ?? '')) return null;
  const ahead = text.slice(start, start + MARK_SEARCH_LIMIT);
  for (let end = ahead.indexOf(sign, 1); end > 0; end = ahead.indexOf(sign, end + 1)) {
    const after = ahead[end + sign.length] ?? '';
    if (/\s/.test(ahead[end - 1]) || (sign[0] === '_' && WORD.test(after))) continue;
    if (sign.length === 1 && (after === sign || ahead[end - 1] === sign)) continue;
    // `**a *b***`: the outer mark is the last of the run.
    while (sign.length === 2 && ahead[end + 2] === sign[0]) end += 1;
    const children = parseInline(ahead.slice(0, end), depth + 1);
    return [{ kind, children }, end + 2 * sign.length];
  }
  return null;
}

/** @param {string} text @param {number} at @param {number} depth @returns {[Inline, number] | null} */
function takeLink(text, at, depth) {
  const match = /^\[([^[\]\n]{1,500})\]\(([^()\s]{1,1000}(?:\([^()\s]{0,200}\))?[^()\s]{0,500})\)/.exec(
    text.slice(at, at + SEARCH_LIMIT),
  );
  if (!match) return null;
  const [whole, label, target] = match;
  const href = safeHref(target);
  // A link that is not allowed is shown as text, with its target.
  if (!href) return [{ kind: 'text', text: `${label} (${target})` }, whole.length];
  return [{ kind: 'link', href, children: withoutLinks(parseInline(label, depth + 1)) }, whole.length];
}

/** @param {string} text @param {number} at @returns {[Inline, number] | null} */
function takeBareLink(text, at) {
  const match = BARE_LINK.exec(text.slice(at, at + SEARCH_LIMIT));
  const address = match?.[0].replace(/[.,;:!?)\]}*_~]+$/, '') ?? '';
  const href = safeHref(address);
  if (!href) return null;
  return [{ kind: 'link', href, children: [{ kind: 'text', text: address }] }, address.length];
}

/** @param {Inline[]} nodes links inside a link's label become text @returns {Inline[]} */
function withoutLinks(nodes) {
  return nodes.flatMap((node) => (node.kind === 'link' ? node.children : [node]));
}

/** @param {string} target @returns {string | null} the address, if it is an allowed one */
export function safeHref(target) {
  if (!URL.canParse(target)) return null;
  const { protocol, href } = new URL(target);
  return protocol === 'https:' || protocol === 'mailto:' ? href : null;
}
