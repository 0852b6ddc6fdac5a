// The patterns that recognize comments, strings, numbers and words in each family of languages.

/** @typedef {import('./code-tokens.js').Grammar} Grammar */

const STRINGS = String.raw`"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?`;
const NUMBER = String.raw`\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\w*`;
const WORD = String.raw`[A-Za-z_$][\w$]*`;
const HASH_COMMENT = String.raw`(?<=^|\s)#.*`;

/**
 * @param {Record<string, string>} groups the pattern of each kind; the first that matches counts
 * @param {Record<string, [import('./code-tokens.js').Kind, RegExp]>} [spans]
 * @param {string} [keywords] @param {boolean} [ignoresCase] @returns {Grammar}
 */
function grammar(groups, spans = {}, keywords = '', ignoresCase = false) {
  const sources = Object.entries(groups).map(([name, source]) => `(?<${name}>${source})`);
  return {
    pattern: new RegExp(sources.join('|'), ignoresCase ? 'gi' : 'g'),
    spans: Object.fromEntries(Object.entries(spans).map(([name, [kind, end]]) => [name, { kind, end }])),
    keywords: new Set(keywords.split(' ')),
    ignoresCase,
  };
}

/** @returns {['comment', RegExp]} */
const untilStar = () => ['comment', /\*\//g];

const script = grammar(
  { block: String.raw`/\*`, template: '`', comment: '//.*', string: STRINGS, number: NUMBER, word: WORD },
  { block: untilStar(), template: ['string', /(?<!\\)`/g] },
  'abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum '
    + 'export extends false finally for from function get if implements import in instanceof interface keyof let never new null '
    + 'number of private protected public readonly return satisfies set static string super switch this throw true try type typeof '
    + 'undefined unknown var void while yield',
);

const python = grammar(
  {
    double: '[rbfuRBFU]{0,2}"""', single: "[rbfuRBFU]{0,2}'''", comment: '#.*',
    string: String.raw`[rbfuRBFU]{0,2}(?:${STRINGS})`, name: String.raw`(?<=^\s*)@[\w.]+`, number: NUMBER, word: WORD,
  },
  { double: ['string', /"""/g], single: ['string', /'''/g] },
  'False None True and as assert async await break case class continue def del elif else except finally for from global if import '
    + 'in is lambda match nonlocal not or pass raise return self try while with yield',
);

const shell = grammar(
  {
    comment: HASH_COMMENT, string: STRINGS, name: String.raw`\$(?:\{[^}]*\}|[\w@#?*!-]+)`, number: String.raw`(?<=\s)\d+\b`,
    word: String.raw`[A-Za-z_][\w./-]*`,
  },
  {},
  'if then elif else fi for in do done while until case esac function select return exit export local readonly declare set unset '
    + 'source alias cd echo printf read test sudo true false',
);

const json = grammar(
  { name: String.raw`"(?:\\.|[^"\\])*"(?=\s*:)`, string: STRINGS, comment: '//.*', number: `-?${NUMBER}`, word: WORD },
  {},
  'true false null',
);

const yaml = grammar(
  {
    comment: HASH_COMMENT, name: String.raw`(?<=^[\s-]*)[\w./$-]+(?=\s*:(?:\s|$))`, string: STRINGS,
    keyword: String.raw`(?<=^|\s)(?:[&*!|>][\w-]*|---|\.\.\.)`, number: String.raw`(?<=\s)-?${NUMBER}(?=\s*$)`, word: String.raw`[\w-]+`,
  },
  {},
  'true false null yes no on off',
);

const ini = grammar(
  {
    comment: String.raw`(?<=^|\s)[#;].*`, keyword: String.raw`^\s*\[.*\]`, name: String.raw`(?<=^\s*(?:export )?)[\w."-]+(?=\s*=)`,
    string: STRINGS, number: `-?${NUMBER}`, word: WORD,
  },
  {},
  'true false',
);

const sql = grammar(
  { block: String.raw`/\*`, comment: '--.*', string: "'(?:''|[^'])*'?", name: '"[^"]*"', number: NUMBER, word: WORD },
  { block: untilStar() },
  'add all alter analyze and any as asc begin between bigint boolean by cascade case cast check column commit constraint create '
    + 'cross current_date current_timestamp database date default delete desc distinct drop else end exists explain false foreign '
    + 'from full function group having if in index inner insert int integer intersect interval into is join json jsonb key left '
    + 'like limit not null numeric offset on or order outer over partition primary references returning right rollback select set '
    + 'table text then timestamp to transaction true union unique update using values varchar view when where window with',
  true,
);

const markup = grammar(
  {
    block: '<!--', name: String.raw`</?[A-Za-z][\w:.-]*|/?>`, keyword: String.raw`[\w:@.-]+(?==["'])`,
    string: `(?<==)(?:"[^"]*"?|'[^']*'?)`, number: String.raw`&#?\w+;`, comment: '<[!?][^>]*>?',
  },
  { block: ['comment', /-->/g] },
);

const css = grammar(
  {
    block: String.raw`/\*`, comment: '(?<!:)//.*', string: STRINGS, keyword: String.raw`@[\w-]+|!important`,
    name: String.raw`(?<=(?:^|[{;])\s*)[\w-]+(?=\s*:[^:{]*(?:[;}]|$))`, number: String.raw`#[\da-fA-F]{3,8}\b|-?(?:\d*\.)?\d+(?:%|[a-z]+)?\b`,
  },
  { block: untilStar() },
);

const c = grammar(
  {
    block: String.raw`/\*`, raw: '`', comment: '//.*', string: String.raw`"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])'`,
    name: String.raw`(?<=^\s*)#\s*\w+|#!?\[|@\w+`, number: NUMBER, word: WORD,
  },
  { block: untilStar(), raw: ['string', /`/g] },
  'abstract as async auto await base bool boolean break byte case catch chan char class const constexpr continue crate data '
    + 'default defer delegate delete do double dyn else enum explicit export extends extern false final finally float fn for '
    + 'foreach friend func fun go goto guard if impl implements import in inline instanceof int interface internal is let long '
    + 'loop map match mod move mut namespace native new nil null nullptr object operator out override package private protected '
    + 'pub public range readonly record ref return sealed select self Self short signed sizeof static string struct super switch '
    + 'synchronized template this throw throws trait true try type typedef typename union unsafe unsigned use using val var '
    + 'virtual void volatile when where while yield',
);

const diff = grammar({
  comment: String.raw`^(?:diff |index |---|\+\+\+).*`, added: String.raw`^\+.*`, removed: '^-.*', keyword: '^@@.*',
});

/** @type {Record<string, Grammar>} by the names that code-languages.js gives */
export const grammars = { script, python, shell, json, yaml, ini, sql, markup, css, c, diff };
