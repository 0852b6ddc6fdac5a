// The order of a table, which is the same as the server's: records without a value come last.

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 */

export const NEWEST_FIRST = '-createdAt';

/** @param {Row} row @param {string} name @returns {any} */
export function valueAt(row, name) {
  return name === 'createdAt' || name === 'updatedAt' || name === 'recordId' ? row[name] : row.data[name];
}

/** @param {Row} a @param {Row} b @param {string} sort a column's name, with the prefix `-` for descending */
function compareRows(a, b, sort) {
  const name = sort.replace(/^-/, '');
  const sign = sort.startsWith('-') ? -1 : 1;
  const [left, right] = [valueAt(a, name) ?? null, valueAt(b, name) ?? null];
  if (left === null || right === null) {
    if (left !== right) return left === null ? 1 : -1;
  } else if (left !== right) return sign * (left < right ? -1 : 1);
  return sign * (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0);
}

/** @param {Row[]} list in this order @param {Row} row @param {string} sort @returns {number} the index at which the row belongs */
export function placeOf(list, row, sort) {
  const at = list.findIndex((other) => compareRows(row, other, sort) < 0);
  return at < 0 ? list.length : at;
}

/** The order after a click on a header: ascending, then descending, then the default order. @param {string} sort @param {string} name */
export function nextSort(sort, name) {
  if (sort === name) return `-${name}`;
  return sort === `-${name}` && name !== 'createdAt' ? NEWEST_FIRST : name;
}
