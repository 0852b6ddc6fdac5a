// Selects and sorts the rows that the command palette shows for a typed text.

import { matchName } from './fuzzy.js';

/**
 * @typedef {object} Item
 * @property {string} id
 * @property {string} group the heading above the item
 * @property {string} label
 * @property {string} [hint] shown beside or below the label
 * @property {string} [words] other words that find the item
 * @property {boolean} [onlyTyped] whether the item is shown only if something was typed
 * @property {() => void} act
 *
 * @typedef {Item & {hits: Set<number>, score: number}} Row
 * @typedef {{name: string, rows: Row[]}} Group
 */

export const MOST = 8; // rows of a group
const BY_OTHER_WORDS = 45; // points subtracted for a match in other words than the label

/**
 * The groups in the order of their best rows; if nothing was typed, in the order of the items.
 * @param {Item[]} items @param {string} typed @returns {Group[]}
 */
export function groupsFor(items, typed) {
  const isTyped = Boolean(typed.trim());
  const shown = isTyped ? items : items.filter(({ onlyTyped }) => !onlyTyped);
  /** @type {Map<string, Row[]>} */
  const groups = new Map();
  for (const row of shown.map((item) => rowFor(item, typed)).filter((each) => each !== null)) {
    const rows = groups.get(row.group);
    if (rows) rows.push(row);
    else groups.set(row.group, [row]);
  }
  const ranked = [...groups].map(([name, rows]) => ({ name, rows: rows.sort(byScore).slice(0, MOST) }));
  return ranked.sort((one, other) => byScore(one.rows[0], other.rows[0]));
}

/** @param {Item} item @param {string} typed @returns {Row | null} */
function rowFor(item, typed) {
  if (!typed.trim()) return { ...item, hits: new Set(), score: 0 };
  const found = matchName(typed, item.label);
  if (found) return { ...item, ...found };
  const other = item.words ? matchName(typed, `${item.label} ${item.words}`, { exact: true }) : null;
  return other && { ...item, hits: other.hits, score: other.score - BY_OTHER_WORDS };
}

/** @param {Row} one @param {Row} other */
function byScore(one, other) {
  return other.score - one.score;
}
