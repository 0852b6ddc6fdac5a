// Finds the media in the data of an answer, and the list that is best shown as a table.

import { safeAddress } from '../page/safe-address.js';

/**
 * @typedef {{kind: 'image' | 'audio' | 'video' | 'file', url: string, about: string}} Medium
 * @typedef {{title: string, columns: string[], rows: any[][], more: number}} Table
 */

const ENDINGS = new Map([
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif'].map((ending) => /** @type {const} */ ([ending, 'image'])),
  ...['mp3', 'wav', 'ogg', 'opus', 'flac', 'm4a'].map((ending) => /** @type {const} */ ([ending, 'audio'])),
  ...['mp4', 'webm', 'mov'].map((ending) => /** @type {const} */ ([ending, 'video'])),
]);
const KINDS = ['image', 'audio', 'video'];
const MOST_MEDIA = 12;
const MOST_ROWS = 50;
const MOST_COLUMNS = 8;
const DEEPEST = 4;

/** @param {any} data @param {string} base address of the page @returns {Medium[]} without duplicate addresses */
export function mediaIn(data, base) {
  /** @type {Map<string, Medium>} */
  const found = new Map();
  for (const { key, value } of everything(data)) {
    const medium = mediumOf(key, value, base);
    if (medium && !found.has(medium.url)) found.set(medium.url, medium);
    if (found.size === MOST_MEDIA) break;
  }
  return [...found.values()];
}

/** @param {string} key @param {any} value @param {string} base @returns {Medium | null} */
function mediumOf(key, value, base) {
  const stored = typeof value?.url === 'string' && typeof value?.mediaType === 'string';
  const text = stored ? value.url : value;
  const url = typeof text === 'string' ? safeAddress(text, base) : null;
  if (!url) return null;
  if (stored) return { kind: kindOfType(value.mediaType), url, about: `${key || 'media'}, ${value.mediaType}` };
  const kind = kindOfEnding(url) ?? (/images?$/i.test(key) ? 'image' : null);
  return kind && { kind, url, about: key };
}

/** @param {string} mediaType @returns {Medium['kind']} */
function kindOfType(mediaType) {
  const kind = mediaType.split('/')[0];
  const isShown = KINDS.includes(kind) && !mediaType.includes('svg'); // the service sends SVG only as a download
  return /** @type {Medium['kind']} */ (isShown ? kind : 'file');
}

/** @param {string} url */
function kindOfEnding(url) {
  return ENDINGS.get(new URL(url).pathname.split('.').pop()?.toLowerCase() ?? '') ?? null;
}

/**
 * Yields each value with its key; the items of a list have the key of the list.
 * @param {any} value @param {string} [key] @param {number} [depth]
 * @returns {Generator<{key: string, value: any}>}
 */
function* everything(value, key = '', depth = 0) {
  yield { key, value };
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) yield* everything(inner, isList ? key : name, depth + 1);
}

/** The largest list of objects, as a table. @param {any} data @returns {Table | null} */
export function tableIn(data) {
  const lists = [...everything(data)].filter(({ value }) => isTable(value));
  const tables = lists.map(({ key, value }) => tableOf(key || 'items', value)).filter(({ columns }) => columns.length);
  const size = (/** @type {Table} */ { columns, rows }) => columns.length * rows.length;
  return tables.reduce((/** @type {Table | null} */ best, next) => (best && size(best) >= size(next) ? best : next), null);
}

/** Whether a table shows nothing but the addresses of media. @param {Table | null} table @param {Medium[]} media */
export function hasOnlyMedia(table, media) {
  const addresses = media.map(({ url }) => url);
  return table !== null && table.rows.flat().every((value) => addresses.includes(value));
}

/** @param {any} value */
function isTable(value) {
  return Array.isArray(value) && value.length > 0 && value.every((item) => item && typeof item === 'object' && !Array.isArray(item));
}

/** @param {string} title @param {Record<string, any>[]} items @returns {Table} */
function tableOf(title, items) {
  const cells = items.slice(0, MOST_ROWS).map((item) => Object.fromEntries(cellsOf(item)));
  const names = [...new Set(cells.flatMap((item) => Object.keys(item)))];
  const columns = names.slice(0, MOST_COLUMNS);
  const rows = cells.map((item) => columns.map((column) => item[column]));
  return { title, columns, rows, more: items.length - rows.length };
}

/**
 * The values of an item by column. A nested object gets one column for each of its values: `team.name`.
 * @param {Record<string, any>} item @returns {[string, any][]}
 */
function cellsOf(item) {
  const filled = Object.entries(item).filter(([, value]) => value !== null && value !== undefined && value !== '');
  return filled.flatMap(([name, value]) => /** @type {[string, any][]} */ (columnsOf(name, value)));
}

/** @param {string} name @param {any} value */
function columnsOf(name, value) {
  if (Array.isArray(value)) return value.some(isObject) ? [] : [[name, value]];
  if (!isObject(value)) return [[name, value]];
  return Object.entries(value).filter(([, inner]) => isPlain(inner)).map(([inner, each]) => [`${name}.${inner}`, each]);
}

/** @param {any} value */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** @param {any} value */
function isPlain(value) {
  return !isObject(value) && value !== undefined && value !== null && value !== '';
}

/** @param {any} value of a cell @returns {string} */
export function cellText(value) {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}
