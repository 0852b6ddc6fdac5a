// Numbers that a browser would send as others: whole ones from 2^53 on, and those that are too large for any.

/** @param {string} text of a number */
export function isExact(text) {
  const number = Number(text);
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !/^[-+]?\d+$/.test(text));
}

/** @param {string} json @returns {string | undefined} the first number that would be another one, as it is written */
export function changedNumber(json) {
  const unescaped = json.replace(/\\./g, ''); // first, so that a long text, such as a picture, needs no backtracking
  const numbers = unescaped.replace(/"[^"]*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.find((number) => !isExact(number));
}

/**
 * What JSON has as a whole number may be another one by the time it is read. Written again, a very large one
 * does not look like one.
 * @param {any} value as the browser has it @returns {number | undefined} the first number that may be meant differently
 */
export function doubtfulNumber(value) {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value).map(doubtfulNumber).find((number) => number !== undefined);
}
