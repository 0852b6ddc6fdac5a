// The tab's version of a canvas and the server's version: computes the unsaved changes, and merges new records.

import { canvasOf } from './canvas-state.js';
import { merge } from './canvas-merge.js';
import { canonical } from './json-value.js';

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {object} Versions
 * @property {Canvas} mine the version that the tab shows
 * @property {Canvas} base the last version of the server that the tab knows
 * @property {string} version `updatedAt` of `base`
 * @property {Canvas | null} sent a version that was sent without an answer: it may be stored or not
 */

const COLUMNS = /** @type {const} */ (['title', 'widgets', 'io']);

/** @param {Row} record @returns {Versions} for a tab without changes */
export function versionsOf({ data, updatedAt }) {
  const canvas = canvasOf(data);
  return { mine: canvas, base: canvas, version: updatedAt, sent: null };
}

/** @param {Versions} versions @returns {Partial<Canvas> | null} the columns to store; null if there are none */
export function changesOf({ mine, base }) {
  const changed = COLUMNS.filter((column) => !same(mine[column], base[column]));
  return changed.length ? Object.fromEntries(changed.map((column) => [column, mine[column]])) : null;
}

/**
 * The versions after a record was read or reported. A record that is older than the known one is ignored.
 * @param {Versions} versions @param {Row} record
 * @returns {Versions}
 */
export function withRecord(versions, record) {
  if (record.updatedAt <= versions.version) return versions;
  const { sent, base } = versions;
  // After a lost answer, the record shows whether the sent version was stored.
  const landed = sent && wasStored(sent, base, canvasOf(record.data));
  return rebase(record, versions, landed ? sent : base);
}

/**
 * @param {Versions} versions @param {Row} record the answer to a write
 * @param {Canvas} sent the version in that write; the tab may have changed since
 * @returns {Versions}
 */
export function withStored(versions, record, sent) {
  return rebase(record, versions, sent);
}

/** @param {Versions} versions @param {Canvas} sent the version in a write without an answer @returns {Versions} */
export function withUnanswered(versions, sent) {
  return { ...versions, sent: versions.sent ?? sent };
}

/** @param {Row} record @param {Versions} versions @param {Canvas} origin the common origin of both sides */
function rebase(record, { mine }, origin) {
  const theirs = shareEqualParts(canvasOf(record.data), mine);
  const merged = mine === origin ? theirs : merge(mine, theirs, origin);
  return { mine: merged, base: theirs, version: record.updatedAt, sent: null };
}

/**
 * @param {Canvas} canvas from the server @param {Canvas} mine
 * @returns {Canvas} the canvas, in which equal parts are the same objects as in `mine`. So they need not be compared
 *   by content again, and after a change of this tab was stored, nothing is drawn again.
 */
function shareEqualParts(canvas, mine) {
  const keys = Object.keys(canvas);
  const equal = keys.filter((key) => same(mine[key] ?? null, canvas[key] ?? null));
  if (equal.length === keys.length && Object.keys(mine).every((key) => key in canvas)) return mine;
  return { ...canvas, ...Object.fromEntries(equal.map((key) => [key, mine[key]])) };
}

/**
 * @param {Canvas} sent @param {Canvas} base @param {Canvas} theirs
 * @returns {boolean} whether the server has stored `sent`, perhaps with later changes of others
 */
function wasStored(sent, base, theirs) {
  if (COLUMNS.every((column) => same(sent[column], theirs[column]))) return true;
  const known = idsOf(base);
  const there = idsOf(theirs);
  const added = [...idsOf(sent)].filter((id) => !known.has(id));
  return added.length > 0 && added.every((id) => there.has(id));
}

/** @param {Canvas} canvas @returns {Set<string>} the ids of the widgets; two tabs never create the same id */
function idsOf({ widgets }) {
  return new Set(widgets.map(({ id }) => id));
}

/** @param {unknown} one @param {unknown} other */
function same(one, other) {
  return one === other || canonical(one) === canonical(other);
}
