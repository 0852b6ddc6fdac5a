// Splits code into tokens, one line at a time. Pure. It recognizes comments, strings, numbers and words in a
// family of languages, but does not know their syntax.

/**
 * @typedef {'comment' | 'string' | 'number' | 'keyword' | 'name' | 'added' | 'removed'} Kind `name` is
 *   the name of a function, a key or a tag
 * @typedef {{kind: Kind | '', text: string}} Token
 *
 * @typedef {object} Grammar
 * @property {RegExp} pattern with the flag `g`; each of its groups is a kind, a span, or `word`
 * @property {Record<string, {kind: Kind, end: RegExp}>} spans tokens that may continue over several lines; `end` has the flag `g`
 * @property {Set<string>} keywords
 * @property {boolean} ignoresCase
 */

/**
 * @param {Grammar} grammar @param {string} line @param {string} open the span that is open at the start of the line, or ''
 * @returns {{tokens: Token[], open: string}} the tokens, whose texts together are the line, and the span that is
 *   open at its end
 */
export function tokensOf(grammar, line, open) {
  /** @type {Token[]} */
  const tokens = [];
  let at = 0;
  /** @param {Token['kind']} kind @param {number} end */
  function take(kind, end) {
    const last = tokens[tokens.length - 1];
    if (last?.kind === kind) last.text += line.slice(at, end);
    else if (end > at) tokens.push({ kind, text: line.slice(at, end) });
    at = end;
  }
  while (at < line.length) {
    if (open) {
      const { kind, end } = grammar.spans[open];
      const match = matchFrom(end, line, at);
      take(kind, match ? match.index + match[0].length : line.length);
      if (match) open = '';
      continue;
    }
    const match = matchFrom(grammar.pattern, line, at);
    if (!match) {
      take('', line.length);
      break;
    }
    take('', match.index);
    const end = match.index + match[0].length;
    const group = groupOf(match);
    const isSpan = group in grammar.spans;
    take(isSpan ? grammar.spans[group].kind : kindOf(grammar, group, match[0], line[end]), end);
    if (isSpan) open = group;
  }
  return { tokens, open };
}

/** @param {RegExp} pattern @param {string} line @param {number} at @returns {RegExpExecArray | null} the first match that is not empty */
function matchFrom(pattern, line, at) {
  pattern.lastIndex = at;
  const match = pattern.exec(line);
  return match?.[0] ? match : null;
}

/** @param {RegExpExecArray} match */
function groupOf({ groups = {} }) {
  return Object.keys(groups).find((name) => groups[name] !== undefined) ?? '';
}

/** @param {Grammar} grammar @param {string} group @param {string} text @param {string} next @returns {Token['kind']} */
function kindOf({ keywords, ignoresCase }, group, text, next) {
  if (group !== 'word') return /** @type {Kind} */ (group);
  if (keywords.has(ignoresCase ? text.toLowerCase() : text)) return 'keyword';
  return next === '(' ? 'name' : '';
}
