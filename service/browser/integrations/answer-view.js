// Shows the data of an answer as pictures, sound, video or a table, and always as JSON.

import { element } from '../shared/elements.js';
import { cellText, hasOnlyMedia, mediaIn, tableIn } from './answer-shape.js';
import { createChoiceBar } from '../page/choice-bar.js';
import { createJsonText } from '../page/json-text.js';
import { safeAddress } from '../page/safe-address.js';

const SHORT = 20; // characters; a cell up to this length is not wrapped

/** @typedef {import('./answer-shape.js').Medium} Medium */
/** @typedef {import('./answer-shape.js').Table} Table */

/**
 * @param {any} data @param {boolean} [isVisual] whether the endpoint makes pictures
 * @returns {HTMLElement}
 */
export function createAnswerView(data, isVisual = false) {
  const media = mediaIn(data, location.href);
  const table = tableIn(data);
  /** @type {Map<string, () => HTMLElement>} */
  const ways = new Map();
  if (media.length) ways.set('Media', () => element('ul', { class: 'media' }, ...media.map(createMedium)));
  if (table) ways.set('Table', () => createTable(table));
  ways.set('JSON', () => createJsonText(data));
  const box = element('div', { class: 'answer-body' });
  /** @param {string} name */
  const show = (name) => box.replaceChildren(/** @type {() => HTMLElement} */ (ways.get(name))());
  const names = [...ways.keys()];
  const bar = createChoiceBar('Show the answer as', names, show);
  bar.node.hidden = names.length === 1;
  const isFirst = isVisual || hasOnlyMedia(table, media) || media.some(({ kind, url }) => kind !== 'image' || new URL(url).origin === location.origin);
  const first = media.length && !isFirst ? names[1] : names[0];
  bar.press(first);
  show(first);
  return element('div', { class: 'answer' }, bar.node, box);
}

/**
 * A picture at another host is loaded only on a click, because that host sees who loads it. Sound and video at other
 * hosts are only links, because the page's content security policy does not allow them.
 * @param {Medium} medium
 */
function createMedium(medium) {
  const { url, kind, about } = medium;
  const { origin, host } = new URL(url);
  const link = element('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, `Open ${about || kind}`);
  const button = element('button', { type: 'button', class: 'quiet', on: { click: load } }, `Show picture from ${host}`);
  const isOwn = origin === location.origin;
  const shown = isOwn ? createPlayer(medium) : kind === 'image' && button;
  const item = element('li', {}, kind !== 'file' && shown, link);

  function load() {
    button.replaceWith(createPlayer(medium));
    link.focus(); // the focused button was removed
  }

  return item;
}

/** @param {Medium} medium @returns {HTMLElement} */
function createPlayer({ kind, url, about }) {
  const own = kind === 'image' ? { alt: about || 'Picture' } : { controls: true, preload: 'metadata', 'aria-label': about || kind };
  const player = element(kind === 'image' ? 'img' : kind, { src: url, referrerpolicy: 'no-referrer', ...own });
  player.addEventListener('error', () => player.replaceWith(element('p', { class: 'hint' }, 'It can’t be shown here.')));
  return player;
}

/** @param {Table} table */
function createTable({ title, columns, rows, more }) {
  const head = element('tr', {}, ...columns.map((column) => element('th', { scope: 'col' }, column)));
  const body = rows.map((row) => element('tr', {}, ...row.map((value) => element('td', {}, createCell(value)))));
  const table = element('table', {}, element('caption', {}, title), element('thead', {}, head), element('tbody', {}, ...body));
  return element(
    'div',
    {},
    element('div', { class: 'answer-table', tabindex: '0', role: 'region', 'aria-label': `Table of ${title}` }, table),
    more > 0 && element('p', { class: 'hint' }, `${more} more are in the JSON.`),
  );
}

/** @param {any} value */
function createCell(value) {
  const text = cellText(value);
  const href = typeof value === 'string' ? safeAddress(value, location.href) : null;
  if (href) return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, shortAddress(href));
  return element('span', { class: text.length <= SHORT ? 'cell-short' : 'cell-text' }, text);
}

/** @param {string} href */
function shortAddress(href) {
  const { host, pathname } = new URL(href);
  return `${host}${pathname.length > 24 ? `${pathname.slice(0, 23)}…` : pathname}`;
}
