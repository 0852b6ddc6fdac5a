// One tab's version of a canvas beside the server's: what is not stored yet, and what a new record changes.

import { canvasOf } from './canvas-state.js';
import { merge } from './canvas-merge.js';
import { canonical } from './json-value.js';

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {object} Versions
 * @property {Canvas} mine as the tab shows it
 * @property {Canvas} base as the server had it when the tab last knew
 * @property {string} version `updatedAt` of `base`
 * @property {Canvas | null} sent what was sent and has had no answer: it may be stored or not
 */

const COLUMNS = /** @type {const} */ (['title', 'widgets', 'io']);

/** @param {Row} record @returns {Versions} of a tab that has changed nothing */
export function opened({ data, updatedAt }) {
  const canvas = canvasOf(data);
  return { mine: canvas, base: canvas, version: updatedAt, sent: null };
}

/** @param {Versions} versions @returns {Partial<Canvas> | null} the columns to store, null if there are none */
export function changesOf({ mine, base }) {
  const changed = COLUMNS.filter((column) => !same(mine[column], base[column]));
  return changed.length ? Object.fromEntries(changed.map((column) => [column, mine[column]])) : null;
}

/**
 * The tab's version after a record was read or reported. An older record than the known one changes
 * nothing.
 * @param {Versions} versions @param {Row} record
 * @returns {Versions}
 */
export function received(versions, record) {
  if (record.updatedAt <= versions.version) return versions;
  const { sent, base } = versions;
  // After a connection was lost, the record tells whether what was sent has been stored.
  const landed = sent && hasLanded(sent, base, canvasOf(record.data));
  return onto(record, versions, landed ? sent : base);
}

/**
 * @param {Versions} versions @param {Row} record the answer to a write
 * @param {Canvas} sent in that write; the tab may have been changed since
 * @returns {Versions}
 */
export function stored(versions, record, sent) {
  return onto(record, versions, sent);
}

/** @param {Versions} versions @param {Canvas} sent in a write without an answer @returns {Versions} */
export function unanswered(versions, sent) {
  return { ...versions, sent: versions.sent ?? sent };
}

/** @param {Row} record @param {Versions} versions @param {Canvas} origin from which both sides come */
function onto(record, { mine }, origin) {
  const theirs = sharing(canvasOf(record.data), mine);
  const merged = mine === origin ? theirs : merge(mine, theirs, origin);
  return { mine: merged, base: theirs, version: record.updatedAt, sent: null };
}

/**
 * @param {Canvas} canvas as it came from the server @param {Canvas} mine
 * @returns {Canvas} with those parts of mine that are equal. So nothing is compared by content again,
 *   and after an own change was stored there is nothing to draw.
 */
function sharing(canvas, mine) {
  const keys = Object.keys(canvas);
  const equal = keys.filter((key) => same(mine[key] ?? null, canvas[key] ?? null));
  if (equal.length === keys.length && Object.keys(mine).every((key) => key in canvas)) return mine;
  return { ...canvas, ...Object.fromEntries(equal.map((key) => [key, mine[key]])) };
}

/**
 * @param {Canvas} sent @param {Canvas} base @param {Canvas} theirs
 * @returns {boolean} whether the server has it, possibly changed by others since
 */
function hasLanded(sent, base, theirs) {
  if (COLUMNS.every((column) => same(sent[column], theirs[column]))) return true;
  const known = idsOf(base);
  const there = idsOf(theirs);
  const added = [...idsOf(sent)].filter((id) => !known.has(id));
  return added.length > 0 && added.every((id) => there.has(id));
}

/** @param {Canvas} canvas @returns {Set<string>} of widgets, which no two tabs choose alike */
function idsOf({ widgets }) {
  return new Set(widgets.map(({ id }) => id));
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  return one === other || canonical(one) === canonical(other);
}
