// Rates how well a name matches a typed text. Each typed word must be in the name, either as a whole or with letters
// of the name left out: "exp" and "nch" match "Explorer" and "New chat".

/** @typedef {{score: number, hits: Set<number>}} Fit `hits`: positions of the matched letters, in code points */
/** @typedef {{cost: number, places: number[]}} Path */

// A higher score is better. A match of the whole name scores most; then the beginning of the name, the beginning of a
// word, and any other position.
const WHOLE = 100;
const BEGINNING = 90;
const WORD = 80;
const INSIDE = 50;
const SCATTERED = 40;
const JUMP = 1; // the cost of a jump to the beginning of a later word
const SKIP = 6; // the cost of skipping letters within a word
const LETTERS_PER_SKIP = 3;
const PLAIN = /^[\0-\x7f]*$/; // a fast path for names without accents, because all names are read after each typed letter
const LENGTH = 1 / 1000; // subtracted for each letter of the name, so that the shorter of two equal matches comes first

/**
 * @param {string} typed @param {string} name @param {{exact?: boolean}} [options] `exact`: no letter may be left out
 * @returns {Fit | null} null if a word of `typed` is not in `name`
 */
export function matchName(typed, name, { exact = false } = {}) {
  const text = lettersOf(name);
  const words = typed.split(/\s+/).filter(Boolean).map(lettersOf);
  const fits = words.map((word) => matchWord(word, text) ?? (exact ? null : matchLetters(word, text)));
  const found = fits.filter((each) => each !== null);
  if (found.length < fits.length) return null;
  const sum = found.reduce((total, { score }) => total + score, 0);
  const hits = new Set(found.flatMap(({ places }) => places));
  return { score: sum / Math.max(found.length, 1) - text.length * LENGTH, hits };
}

/** Matches the whole word at its best position. @param {string[]} word @param {string[]} text */
function matchWord(word, text) {
  const starts = placesOf(word[0], text).filter((at) => word.every((letter, n) => text[at + n] === letter));
  if (!starts.length) return null;
  const start = starts.find((at) => isBeginning(text, at)) ?? starts[0];
  const places = word.map((_, n) => start + n);
  if (start === 0) return { score: word.length === text.length ? WHOLE : BEGINNING, places };
  return { score: isBeginning(text, start) ? WORD : INSIDE, places };
}

/** Matches the letters in their order, the first one at the beginning of a word. @param {string[]} word @param {string[]} text */
function matchLetters([first, ...rest], text) {
  /** @type {Path[]} the cheapest path to each position of the last letter */
  let paths = placesOf(first, text).filter((at) => isBeginning(text, at)).map((at) => ({ cost: 0, places: [at] }));
  for (const letter of rest) {
    if (!paths.length) return null;
    paths = placesOf(letter, text).map((at) => cheapest(paths, at, text)).filter((path) => path !== null);
  }
  const [best] = paths.sort((one, other) => one.cost - other.cost);
  const skips = best ? Math.floor(best.cost / SKIP) : Infinity;
  if (skips > (rest.length + 1) / LETTERS_PER_SKIP) return null;
  return { score: SCATTERED - best.cost, places: best.places };
}

/** @param {Path[]} paths @param {number} at the position of the next letter @param {string[]} text @returns {Path | null} */
function cheapest(paths, at, text) {
  const jump = isBeginning(text, at) ? JUMP : SKIP;
  const ways = paths.flatMap(({ cost, places }) => {
    const last = /** @type {number} */ (places.at(-1));
    return last < at ? [{ cost: cost + (last === at - 1 ? 0 : jump), places: [...places, at] }] : [];
  });
  return ways.sort((one, other) => one.cost - other.cost)[0] ?? null;
}

/** @param {string} letter @param {string[]} text */
function placesOf(letter, text) {
  const places = [];
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) places.push(at);
  return places;
}

/** Whether a word begins at a position. @param {string[]} text @param {number} at */
function isBeginning(text, at) {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]);
}

/** The letters of a text without case and accents, one for each code point. @param {string} text */
function lettersOf(text) {
  if (PLAIN.test(text)) return text.toLowerCase().split('');
  return [...text].map((letter) => {
    const plain = letter.normalize('NFD').replace(/\p{M}/gu, '');
    return ([...plain].length === 1 ? plain : letter).toLowerCase();
  });
}

/**
 * @param {string} text @param {Set<number>} hits
 * @returns {{text: string, isHit: boolean}[]} the text in pieces
 */
export function markedPieces(text, hits) {
  /** @type {{text: string, isHit: boolean}[]} */
  const pieces = [];
  [...text].forEach((letter, at) => {
    const isHit = hits.has(at);
    const last = pieces.at(-1);
    if (last?.isHit === isHit) last.text += letter;
    else pieces.push({ text: letter, isHit });
  });
  return pieces;
}
