// The results of a search over the chats: a link for each chat, with an excerpt around the words that were found.

import { element, isFocusLost } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { hrefOf } from '../page/route.js';
import { ago } from '../shared/time-format.js';
import { lastActive } from './chat-row.js';

/**
 * @typedef {{text: string, hits: {start: number, end: number}[]}} Excerpt
 * @typedef {{chat: any, title: Excerpt, message: {recordId: string, createdAt: string, snippet: Excerpt} | null}} Result
 */

/**
 * @param {object} options
 * @param {import('../shared/api-transport.js').Transport} options.transport
 * @param {(chatId: string, messageId: string | null) => void} options.onFound
 * @param {() => void} options.back moves the focus to the field
 */
export function createSearchResults({ transport, onFound, back }) {
  const state = element('p', { class: 'empty', role: 'status' });
  const list = element('ul', { class: 'search-hits', 'aria-label': 'Found chats', on: { keydown: press } });
  const more = element('button', { type: 'button', class: 'quiet', hidden: true, on: { click: readMore } }, 'Show more');
  const node = element('div', { class: 'search-results' }, state, list, more);
  let query = ''; // the words of the newest search
  let shown = ''; // the query of the results on the screen
  /** @type {string | null} */
  let cursor = null;
  let reads = 0; // the number of requests; only the answer to the newest one is shown

  /** @param {boolean} [further] whether to read the next page */
  async function read(further = false) {
    const mine = (reads += 1);
    const text = query;
    try {
      const parameters = { q: text, cursor: further ? cursor : null };
      const { results, nextCursor } = await transport.get('/api/ai/search', parameters);
      if (mine !== reads) return;
      if (further) list.append(...results.map(createHit));
      else replace(results.map(createHit));
      show(text, nextCursor, wordsFor(list.childElementCount, Boolean(nextCursor)));
    } catch (error) {
      if (mine !== reads) return;
      if (further) return void (state.textContent = errorText(error)); // the results stay, and so does the button for the next page
      replace([]); // the results on the screen are those of other words
      show('', null, errorText(error));
    }
  }

  /** Replaces the results. The focus stays in them, or moves to the field if there are none. @param {HTMLElement[]} hits */
  function replace(hits) {
    const hadFocus = list.contains(document.activeElement);
    list.replaceChildren(...hits);
    if (!hadFocus) return;
    const first = list.querySelector('a');
    if (first) first.focus();
    else back();
  }

  /** Loads the next page. If the button is then hidden, the focus moves to the first new result. */
  async function readMore() {
    const before = list.childElementCount;
    await read(true);
    if (more.hidden && isFocusLost()) list.querySelectorAll('a')[before]?.focus();
  }

  /** @param {string} text of the search @param {string | null} following @param {string} sentence */
  function show(text, following, sentence) {
    shown = text;
    cursor = following;
    more.hidden = !following;
    state.textContent = sentence;
  }

  /** @param {Result} result */
  function createHit({ chat, title, message }) {
    const open = (/** @type {Event} */ event) => {
      event.preventDefault();
      onFound(chat.recordId, message?.recordId ?? null);
    };
    const at = message?.createdAt ?? lastActive({ ...chat, data: chat });
    const heading = element('span', { class: 'hit-title' }, ...piecesOf(title, 'New chat'));
    const time = element('time', { datetime: at }, ago(at));
    const snippet = message && element('span', { class: 'hit-text' }, ...piecesOf(message.snippet));
    const link = element('a', { href: hrefOf('chat', chat.recordId), on: { click: open } }, element('span', { class: 'hit-head' }, heading, time), snippet);
    return element('li', {}, link);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(/** @type {any} */ (document.activeElement));
    if (at < 0 || !['ArrowDown', 'ArrowUp', 'Escape'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'ArrowDown') links[at + 1]?.focus();
    else if (event.key === 'ArrowUp' && at > 0) links[at - 1].focus();
    else back();
  }

  return {
    node,
    /** @param {string} text @returns {Promise<boolean>} whether the results are shown and no other search was started since */
    async search(text) {
      query = text;
      if (shown !== text) await read();
      else reads += 1; // the results on the screen are those of this text
      return shown === text && query === text;
    },
    clear() {
      query = '';
      reads += 1;
      list.replaceChildren();
      show('', null, '');
    },
    focusFirst: () => list.querySelector('a')?.focus(),
    openFirst: () => list.querySelector('a')?.click(),
  };
}

/** @param {number} count @param {boolean} more */
function wordsFor(count, more) {
  if (!count) return 'No chats found.';
  return `${count}${more ? ' or more' : ''} ${count === 1 ? 'chat' : 'chats'} found`;
}

/** The text of an excerpt with its hits marked. The positions of hits count code points. @param {Excerpt} excerpt @param {string} [none] */
export function piecesOf({ text, hits }, none = '') {
  const characters = [...(text || none)];
  /** @type {(Node | string)[]} */
  const pieces = [];
  let at = 0;
  for (const { start, end } of hits) {
    pieces.push(characters.slice(at, start).join(''), element('mark', {}, characters.slice(start, end).join('')));
    at = end;
  }
  return [...pieces, characters.slice(at).join('')];
}
