// Finds numbers that JavaScript can't represent exactly and would therefore change: integers from 2^53 on, and
// numbers that are too large for a double.

/** @param {string} text of a number */
export function isExact(text) {
  const number = Number(text);
  return Number.isFinite(number) && (Number.isSafeInteger(number) || !/^[-+]?\d+$/.test(text));
}

/** @param {string} json @returns {string | undefined} the first number that would change, as it is written */
export function findChangedNumber(json) {
  const unescaped = json.replace(/\\./g, ''); // before the strings, so that a long string, such as a picture, needs no backtracking
  const numbers = unescaped.replace(/"[^"]*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];
  return numbers.find((number) => !isExact(number));
}

/**
 * Finds a number in a parsed value that may differ from the number in its JSON. The text of the JSON is not known
 * here, so every number above 2^53 counts.
 * @param {any} value parsed from JSON @returns {number | undefined} the first number that may have changed
 */
export function findDoubtfulNumber(value) {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.values(value).map(findDoubtfulNumber).find((number) => number !== undefined);
}
