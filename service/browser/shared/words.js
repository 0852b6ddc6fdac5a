// Words for sentences: texts of other people in one line, and the forms of English words in the names of collections,
// columns and lists.

const LENGTH = 90; // characters of a line
const INVISIBLE = /[\p{Cc}\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const SINGULARS = new Map([
  ['analyses', 'analysis'], ['caches', 'cache'], ['canvases', 'canvas'], ['children', 'child'], ['cookies', 'cookie'], ['criteria', 'criterion'],
  ['indices', 'index'], ['movies', 'movie'], ['news', 'news item'], ['people', 'person'], ['series', 'series'],
]);
const AN = /^(?:[aio]|e(?!u)|u(?!ni|s[aeu]|ti|r[il]|u|k)|hour|hono)/i; // by the sound: “a user”, “an update”, “an hour”

/** @param {string} name such as "dueAt", "max_results" or "HTMLText" @returns {string} "due at", "max results", "html text" */
export function nameInWords(name) {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1 $2') // two small letters, because “POIs” is one word
    .replace(/[._-]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** @param {string} word */
export function pluralOf(word) {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** @param {string} words of which the last one is a plural @returns {string} the same words if the last one has no other form */
export function singularOf(words) {
  const [word] = /[^ ]*$/.exec(words) ?? [''];
  return words.slice(0, words.length - word.length) + singularOfWord(word);
}

/** @param {string} word */
function singularOfWord(word) {
  const known = SINGULARS.get(word);
  if (known) return known;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/zzes$/.test(word)) return word.slice(0, -3);
  if (/(ss|x|ch|sh|[^aeo]us)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

/** @param {string} noun @returns {string} "a task", "an entry" */
export function withArticle(noun) {
  return `${AN.test(noun) ? 'an' : 'a'} ${noun}`;
}

/**
 * Makes one short line of a text, without control characters and marks that change the text direction.
 * @param {unknown} value
 */
export function oneLine(value) {
  const text = typeof value === 'string' ? value : '';
  const visible = text.replace(INVISIBLE, ' ').trim();
  const letters = [...visible];
  return letters.length > LENGTH ? `${letters.slice(0, LENGTH - 1).join('')}…` : visible;
}
