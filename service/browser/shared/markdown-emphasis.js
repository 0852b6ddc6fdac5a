// Pairs the delimiters of emphasis. Pure. Source: the CommonMark specification, section 6.2, and `~~` for
// strikethrough as in GitHub's Markdown.

/**
 * @typedef {import('./markdown-inline.js').Inline} Inline
 *
 * @typedef {object} Delimiter a run of one character
 * @property {string} sign
 * @property {number} count how many are left
 * @property {number} length how many there were
 * @property {number} place index of its text among the nodes
 * @property {boolean} canOpen
 * @property {boolean} canClose
 */

const DEPTH = 12; // levels of nested emphasis
const SPACE = /^$|\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** @param {string} text @param {number} at @param {number} place @returns {Delimiter} */
export function delimiterAt(text, at, place) {
  const sign = text[at];
  let end = at;
  while (text[end] === sign) end += 1;
  const before = characterBefore(text, at);
  const after = String.fromCodePoint(text.codePointAt(end) ?? 32);
  const opens = !SPACE.test(after) && (!PUNCTUATION.test(after) || SPACE.test(before) || PUNCTUATION.test(before));
  const closes = !SPACE.test(before) && (!PUNCTUATION.test(before) || SPACE.test(after) || PUNCTUATION.test(after));
  const isWord = sign === '_'; // in snake_case, it is part of the word
  const counts = sign !== '~' || end - at === 2;
  return {
    sign,
    count: end - at,
    length: end - at,
    place,
    canOpen: counts && opens && (!isWord || !closes || PUNCTUATION.test(before)),
    canClose: counts && closes && (!isWord || !opens || PUNCTUATION.test(after)),
  };
}

/** @param {string} text @param {number} at @returns {string} the whole character, if it is a surrogate pair */
function characterBefore(text, at) {
  const isHalf = /[\udc00-\udfff]/.test(text[at - 1] ?? '');
  return text.slice(Math.max(0, at - (isHalf ? 2 : 1)), at);
}

/**
 * Turns delimiters into emphasis, beginning at an index of their list, and removes them from the list.
 * @param {(Inline | null)[]} nodes changed in place @param {Delimiter[]} delimiters @param {number} from
 */
export function pairDelimiters(nodes, delimiters, from) {
  /** @type {Delimiter[]} */
  const openers = [];
  /** @type {Record<string, number>} */
  const floors = {}; // by kind of closer: no opener below this index matches
  for (const closer of delimiters.splice(from)) {
    while (closer.canClose && closer.count > 0) {
      const kind = `${closer.sign}${closer.canOpen}${closer.length % 3}`;
      const at = openers.findLastIndex((opener, index) => index < (floors[kind] ?? 0) || fits(opener, closer));
      if (at < (floors[kind] ?? 0)) {
        floors[kind] = openers.length;
        break;
      }
      openers.length = at + 1;
      for (const key of Object.keys(floors)) floors[key] = Math.min(floors[key], at);
      if (!emphasize(nodes, openers[at], closer)) return;
      if (!openers[at].count) openers.pop();
    }
    if (closer.canOpen && closer.count > 0) openers.push(closer);
  }
}

/** @param {Delimiter} opener @param {Delimiter} closer */
function fits(opener, closer) {
  if (opener.sign !== closer.sign) return false;
  if (!opener.canClose && !closer.canOpen) return true;
  return (opener.length + closer.length) % 3 !== 0 || (opener.length % 3 === 0 && closer.length % 3 === 0);
}

/**
 * @param {(Inline | null)[]} nodes @param {Delimiter} opener @param {Delimiter} closer
 * @returns {boolean} false if the emphasis would be nested too deeply
 */
function emphasize(nodes, opener, closer) {
  const used = opener.count > 1 && closer.count > 1 ? 2 : 1;
  const children = joinTexts(nodes, opener.place + 1, closer.place);
  const depth = 1 + children.reduce((most, node) => ('depth' in node ? Math.max(most, node.depth) : most), 0);
  if (depth > DEPTH) return false;
  shorten(nodes, opener, used);
  shorten(nodes, closer, used);
  nodes.fill(null, opener.place + 1, closer.place);
  const kind = opener.sign === '~' ? 'del' : used === 2 ? 'strong' : 'em';
  nodes[opener.place + 1] = { kind, depth, children };
  return true;
}

/** @param {(Inline | null)[]} nodes @param {Delimiter} delimiter @param {number} used */
function shorten(nodes, delimiter, used) {
  delimiter.count -= used;
  nodes[delimiter.place] = { kind: 'text', text: delimiter.sign.repeat(delimiter.count) };
}

/**
 * The nodes from one index to another, with adjacent texts joined.
 * @param {(Inline | null)[]} nodes @param {number} from @param {number} [to] @returns {Inline[]}
 */
export function joinTexts(nodes, from, to = nodes.length) {
  /** @type {Inline[]} */
  const all = [];
  for (const node of nodes.slice(from, to)) {
    const last = all[all.length - 1];
    if (!node || (node.kind === 'text' && !node.text)) continue;
    if (node.kind === 'text' && last?.kind === 'text') last.text += node.text;
    else all.push({ ...node });
  }
  return all;
}
