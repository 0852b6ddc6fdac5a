// The reasons why values were refused, in the server's form: an object with the names of the fields, nested like the
// body, with lists of texts as leaves. `_schema` stands for the object itself.

/**
 * @typedef {any} Details a list of texts, or an object by field name or list index; undefined for none
 * @typedef {import('./schema-values.js').Problem} Problem
 */

const ITSELF = '_schema';

/** Puts problems that the form itself has found into the same form. @param {Problem[]} problems @returns {Details} */
export function detailsOf(problems) {
  /** @type {any} */
  const details = Object.create(null); // a field may have the name of an inherited property
  for (const { path, text } of problems) {
    let at = details;
    for (const key of path) at = at[key] ??= Object.create(null);
    at[ITSELF] = [...(at[ITSELF] ?? []), text];
  }
  return details;
}

/** The reasons for the value itself, as one text. @param {Details} details */
export function ownReasons(details) {
  const own = typeof details === 'object' && !Array.isArray(details) ? details?.[ITSELF] : details;
  return own === undefined ? '' : [own].flat().map(textOf).join(' ');
}

/**
 * The reasons for the values inside, by field name or list index, without those for the object itself.
 * @param {Details} details @returns {Record<string, Details>}
 */
export function innerReasons(details) {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return {};
  return Object.fromEntries(Object.entries(details).filter(([key]) => key !== ITSELF));
}

/** The reasons as lines, such as "events 1 title: Missing data." @param {Details} details @param {string} [place] @returns {string[]} */
export function linesOf(details, place = '') {
  const own = ownReasons(details);
  const inner = Object.entries(innerReasons(details)).flatMap(([key, value]) =>
    linesOf(value, place ? `${place} ${shownKey(key)}` : shownKey(key)),
  );
  return [...(own ? [place ? `${place}: ${own}` : own] : []), ...inner];
}

/** List positions are shown counted from one. @param {string} key */
function shownKey(key) {
  return /^\d+$/.test(key) ? String(Number(key) + 1) : key;
}

/** @param {unknown} reason */
function textOf(reason) {
  return typeof reason === 'string' ? reason : JSON.stringify(reason);
}
