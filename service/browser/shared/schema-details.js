// The reasons why values were refused, as the server names them: by field, nested like the body, with
// lists of texts at the end. `_schema` stands for the object itself.

/**
 * @typedef {any} Details texts, or an object by names and places in lists; undefined for none
 * @typedef {import('./schema-values.js').Problem} Problem
 */

const ITSELF = '_schema';

/** The same shape for problems that the form has found itself. @param {Problem[]} problems @returns {Details} */
export function detailsOf(problems) {
  /** @type {any} */
  const details = Object.create(null); // a field may have a name that every object has
  for (const { path, text } of problems) {
    let at = details;
    for (const key of path) at = at[key] ??= Object.create(null);
    at[ITSELF] = [...(at[ITSELF] ?? []), text];
  }
  return details;
}

/** The reasons at this very place, as one text. @param {Details} details */
export function ownReasons(details) {
  const own = typeof details === 'object' && !Array.isArray(details) ? details?.[ITSELF] : details;
  return own === undefined ? '' : [own].flat().map(textOf).join(' ');
}

/**
 * Reasons by name or place in a list, without those of the object itself.
 * @param {Details} details @returns {Record<string, Details>}
 */
export function innerReasons(details) {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return {};
  return Object.fromEntries(Object.entries(details).filter(([key]) => key !== ITSELF));
}

/** Reasons in lines, such as "events 1 title: Missing data." @param {Details} details @param {string} [place] @returns {string[]} */
export function linesOf(details, place = '') {
  const own = ownReasons(details);
  const inner = Object.entries(innerReasons(details)).flatMap(([key, value]) =>
    linesOf(value, place ? `${place} ${shownKey(key)}` : shownKey(key)),
  );
  return [...(own ? [place ? `${place}: ${own}` : own] : []), ...inner];
}

/** Places in lists are counted from one. @param {string} key */
function shownKey(key) {
  return /^\d+$/.test(key) ? String(Number(key) + 1) : key;
}

/** @param {unknown} reason */
function textOf(reason) {
  return typeof reason === 'string' ? reason : JSON.stringify(reason);
}
