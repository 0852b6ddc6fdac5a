// The pictures, sound and video of an answer. Media stored by this service are loaded when they come into view, media
// at other hosts only on a click.

import { element } from '../shared/elements.js';
import { mediaIn } from '../integrations/answer-shape.js';
import { bodyOf, dataOf } from './endpoint-sentences.js';
import { createMediaLink } from './media-link.js';
import { capitalize } from './value-words.js';

/**
 * @typedef {import('./call-groups.js').CallPart} CallPart
 * @typedef {import('../integrations/answer-shape.js').Medium} Medium
 * @typedef {{width: number, height: number}} Size
 */

const WIDTH = 420; // CSS pixels
const GONE = 'It can’t be shown any more. What is made here is kept for a day.';

/** @param {CallPart} call @param {import('./call-card.js').CardContext} context @returns {HTMLElement | string} '' if the answer has no media */
export function createCallMedia(call, { transport }) {
  const { data } = dataOf(call);
  const body = bodyOf(call);
  const about = String(body.prompt ?? body.text ?? body.query ?? '').trim();
  const found = mediaIn(data, location.href);
  const size = sizeOf(data.size ?? body.size, body.aspectRatio);
  const items = found.map((medium, at) => {
    const name = found.length > 1 ? `${about || medium.about}, ${at + 1} of ${found.length}` : about || medium.about;
    const isOwn = new URL(medium.url).origin === location.origin;
    const link = isOwn ? createMediaLink(medium.url, transport) : null;
    return element('li', {}, link ? createOwn(medium, name, size, link) : createForeign(medium, name, size));
  });
  return items.length ? element('ul', { class: 'media' }, ...items) : '';
}

/** @param {Medium} medium @param {string} name @param {Size} size @param {import('./media-link.js').MediaLink} link */
function createOwn(medium, name, size, link) {
  if (medium.kind === 'file') return createOpener(medium, name, link);
  const player = createPlayer(medium, name, size);
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    seen.disconnect();
    load();
  });
  seen.observe(player);

  /** @param {boolean} [again] true after the link has failed */
  async function load(again = false) {
    const url = await link.current(again);
    player.onerror = () => (again && link.isFresh() ? giveUp() : load(true)); // sound may be played for longer than its link holds
    if (url) player.src = url;
    else giveUp();
  }

  function giveUp() {
    player.replaceWith(element('p', { class: 'hint' }, GONE));
  }

  return element('div', { class: 'medium' }, player, medium.kind === 'image' && createOpener(medium, name, link));
}

/** @param {Medium} medium @param {string} name @param {Size} size @returns {any} the element, without an address yet */
function createPlayer({ kind }, name, { width, height }) {
  if (kind === 'audio') return element('audio', { controls: true, preload: 'metadata', 'aria-label': name });
  const own = kind === 'image' ? { alt: capitalize(name), loading: 'lazy' } : { controls: true, preload: 'metadata', 'aria-label': name };
  const player = element(kind === 'image' ? 'img' : 'video', { width, height, referrerpolicy: 'no-referrer', ...own });
  player.style.aspectRatio = `${width} / ${height}`; // kept even if the picture turns out to have another ratio, so that the page does not jump
  return player;
}

/** @param {Medium} medium @param {string} name @param {import('./media-link.js').MediaLink} link */
function createOpener({ kind, url }, name, link) {
  const opener = element('a', { href: url, target: '_blank', rel: 'noopener noreferrer' }, `Open the ${kind === 'image' ? 'picture' : kind}`);
  opener.setAttribute('aria-label', `${opener.textContent}: ${name}`);
  opener.addEventListener('click', async (/** @type {Event} */ event) => {
    if (link.isFresh()) return void (opener.href = link.url());
    event.preventDefault();
    const renewed = await link.current();
    if (renewed) window.open(renewed, '_blank', 'noopener');
    else opener.replaceWith(element('p', { class: 'hint' }, GONE));
  });
  return opener;
}

/**
 * A picture at another host is loaded only on a click, because that host sees who loads it. Sound and video at other
 * hosts are only links, because the page's content security policy does not allow them.
 * @param {Medium} medium @param {string} name @param {Size} size
 */
function createForeign(medium, name, size) {
  const { host } = new URL(medium.url);
  const what = medium.kind === 'image' ? 'picture' : medium.kind;
  const link = element('a', { href: medium.url, target: '_blank', rel: 'noopener noreferrer' }, `Open the ${what} at ${host}`);
  const button = element('button', { type: 'button', class: 'quiet', on: { click: load } }, `Show the picture from ${host}`);

  function load() {
    const player = createPlayer(medium, name, size);
    player.onerror = () => player.replaceWith(element('p', { class: 'hint' }, 'It can’t be shown here.'));
    player.src = medium.url;
    button.replaceWith(player);
    link.focus(); // the focused button was removed
  }

  return element('div', { class: 'medium' }, medium.kind === 'image' && button, link);
}

/** @param {any} size "1536x1024" @param {any} ratio "16:9", or "widescreen_16_9" @returns {Size} a square if neither is given */
function sizeOf(size, ratio) {
  const [, wide, high] = String(size ?? '').match(/^(\d+)x(\d+)$/) ?? String(ratio ?? '').match(/(\d+)[:_](\d+)$/) ?? [];
  const height = Number(wide) && Number(high) ? (WIDTH * Number(high)) / Number(wide) : WIDTH;
  return { width: WIDTH, height: Math.round(Math.min(height, 2 * WIDTH)) };
}
