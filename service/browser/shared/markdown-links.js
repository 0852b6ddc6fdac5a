// Parses the targets of links. Pure. Source: the CommonMark specification, sections 6.3 and 6.5.

const MOST = 2000; // characters of a target or title; a longer one is read as text
const NESTED = 32; // levels of parentheses in a target
const AUTOLINK = /<([a-z][a-z0-9+.-]{1,31}:[^\s<>]*)>/iy;
const MAIL = /<([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8})>/iy;
const BARE = /(?:https:\/\/|mailto:)[^\s<>"'`|\\*]{1,1000}(?![^\s<>"'`|\\*])/iy;
const SPACE = /[ \t]*\n?[ \t]*/y;
const ESCAPE = /\\([!-/:-@[-`{-~])|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,7}));/gi;
/** @type {Record<string, string>} the entity names that models use */
const NAMES = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', hellip: '…',
  mdash: '—', ndash: '–', middot: '·', bull: '•', times: '×', divide: '÷', plusmn: '±', deg: '°', euro: '€',
  pound: '£', sect: '§', para: '¶', laquo: '«', raquo: '»', ldquo: '“', rdquo: '”', lsquo: '‘', rsquo: '’',
  larr: '←', rarr: '→', uarr: '↑', darr: '↓', le: '≤', ge: '≥', ne: '≠', infin: '∞', auml: 'ä', ouml: 'ö', uuml: 'ü', szlig: 'ß',
};

/** @param {string} text @returns {string} the text with its escapes and entities replaced by their characters */
export function unescapeText(text) {
  return text.replace(ESCAPE, (whole, sign, decimal, hex, name) => {
    if (sign) return sign;
    if (name) return Object.hasOwn(NAMES, name) ? NAMES[name] : whole;
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : '\ufffd';
  });
}

/**
 * Reads `(target "title")` after the label of a link. The title is not shown.
 * @param {string} text @param {number} at @returns {{target: string, length: number} | null}
 */
export function targetAt(text, at) {
  if (text[at] !== '(') return null;
  let end = afterSpace(text, at + 1);
  const target = text[end] === '<' ? pointedTarget(text, end) : plainTarget(text, end);
  if (target === null) return null;
  end += target.length;
  const title = afterSpace(text, end);
  if (title > end) end = afterSpace(text, afterTitle(text, title));
  if (text[end] !== ')') return null;
  const address = target[0] === '<' ? target.slice(1, -1) : target;
  return { target: unescapeText(address), length: end + 1 - at };
}

/** @param {string} text @param {number} at @returns {number} the position of the next character that is not white space */
function afterSpace(text, at) {
  SPACE.lastIndex = at;
  return at + (SPACE.exec(text)?.[0].length ?? 0);
}

/** @param {string} text @param {number} at @returns {string | null} */
function pointedTarget(text, at) {
  for (let end = at + 1; end < at + MOST && end < text.length; end += 1) {
    if (text[end] === '>') return text.slice(at, end + 1);
    if (text[end] === '<' || text[end] === '\n') return null;
    if (text[end] === '\\') end += 1;
  }
  return null;
}

/** @param {string} text @param {number} at @returns {string | null} */
function plainTarget(text, at) {
  let nested = 0;
  let end = at;
  for (; end < text.length && text[end] > ' ' && text[end] !== '\u007f'; end += 1) {
    if (text[end] === '(') nested += 1;
    else if (text[end] === ')' && nested === 0) break;
    else if (text[end] === ')') nested -= 1;
    else if (text[end] === '\\' && text[end + 1] > ' ') end += 1;
    if (nested > NESTED || end - at > MOST) return null;
  }
  return nested ? null : text.slice(at, end);
}

/** @param {string} text @param {number} at @returns {number} the position after a title, or `at` if there is no title */
function afterTitle(text, at) {
  const close = text[at] === '(' ? ')' : text[at];
  if (close !== ')' && close !== '"' && close !== "'") return at;
  for (let end = at + 1; end < at + MOST && end < text.length; end += 1) {
    if (text[end] === close) return end + 1;
    if (text[end] === '\\') end += 1;
  }
  return at;
}

/** Reads `<https://…>` or `<name@host>`. @param {string} text @param {number} at @returns {{target: string, label: string, length: number} | null} */
export function autolinkAt(text, at) {
  AUTOLINK.lastIndex = MAIL.lastIndex = at;
  const link = AUTOLINK.exec(text);
  const match = link ?? MAIL.exec(text);
  if (!match) return null;
  return { target: link ? match[1] : `mailto:${match[1]}`, label: match[1], length: match[0].length };
}

/** Reads an address without angle brackets. @param {string} text @param {number} at @returns {{target: string, label: string, length: number} | null} */
export function bareLinkAt(text, at) {
  BARE.lastIndex = at;
  const match = BARE.exec(text);
  if (!match) return null;
  const label = withoutEnd(match[0]);
  return URL.canParse(label) && label.length > 'mailto:'.length ? { target: label, label, length: label.length } : null;
}

/** @param {string} address @returns {string} without the punctuation of the sentence around it */
function withoutEnd(address) {
  let open = 0;
  for (const letter of address) open += letter === '(' ? 1 : letter === ')' ? -1 : 0;
  let end = address.length;
  for (; /[.,;:!?)\]}_~]/.test(address[end - 1] ?? ''); end -= 1) {
    if (address[end - 1] !== ')') continue;
    if (open >= 0) break;
    open += 1;
  }
  return address.slice(0, end);
}

/** @param {string} target @returns {string | null} the address, if a link to it is allowed */
export function safeHref(target) {
  if (!URL.canParse(target)) return null;
  const { protocol, href } = new URL(target);
  return protocol === 'https:' || protocol === 'mailto:' ? href : null;
}
