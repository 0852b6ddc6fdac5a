// Finds what can be shown of an answer's data: media, and lists that make a table.

import { safeAddress } from './safe-address.js';

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

/** @param {any} data @param {string} base address of the page @returns {Medium[]} each address once */
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
  const isShown = KINDS.includes(kind) && !mediaType.includes('svg'); // which the service gives as a download
  return /** @type {Medium['kind']} */ (isShown ? kind : 'file');
}

/** @param {string} url */
function kindOfEnding(url) {
  return ENDINGS.get(new URL(url).pathname.split('.').pop()?.toLowerCase() ?? '') ?? null;
}

/**
 * Each value with the name it stands under; items stand under the name of their list.
 * @param {any} value @param {string} [key] @param {number} [depth]
 * @returns {Generator<{key: string, value: any}>}
 */
function* everything(value, key = '', depth = 0) {
  yield { key, value };
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  const isList = Array.isArray(value);
  for (const [name, inner] of Object.entries(value)) yield* everything(inner, isList ? key : name, depth + 1);
}

/** The longest list of objects, as a table. @param {any} data @returns {Table | null} */
export function tableIn(data) {
  const lists = [...everything(data)].filter(({ value }) => isTable(value));
  const longest = lists.reduce((best, next) => (best && best.value.length >= next.value.length ? best : next), lists[0]);
  return longest ? tableOf(longest.key || 'items', longest.value) : null;
}

/** @param {any} value */
function isTable(value) {
  return Array.isArray(value) && value.length > 0 && value.every((item) => item && typeof item === 'object' && !Array.isArray(item));
}

/** @param {string} title @param {Record<string, any>[]} items @returns {Table} */
function tableOf(title, items) {
  const names = [...new Set(items.slice(0, MOST_ROWS).flatMap((item) => Object.keys(item)))];
  const told = names.filter((name) => items.some((item) => isTold(item[name])));
  const columns = told.slice(0, MOST_COLUMNS);
  const rows = items.slice(0, MOST_ROWS).map((item) => columns.map((column) => item[column]));
  return { title, columns, rows, more: items.length - rows.length };
}

/** @param {any} value */
function isTold(value) {
  return value !== null && value !== undefined && value !== '' && (typeof value !== 'object' || Array.isArray(value));
}

/** @param {any} value of a cell @returns {string} */
export function cellText(value) {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}
