// What a search over the chats has found: a link for each chat, with the words in their context.

import { element, isFocusLost } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { hrefOf } from '../page/route.js';
import { ago } from '../shared/when.js';
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
  let question = '';
  let shown = ''; // the question of the results on the screen
  /** @type {string | null} */
  let cursor = null;
  let reads = 0; // the answer to an earlier one is dropped

  /** @param {boolean} [further] whether to read the next page */
  async function read(further = false) {
    const mine = (reads += 1);
    const asked = question;
    try {
      const query = { q: asked, cursor: further ? cursor : null };
      const { results, nextCursor } = await transport.get('/api/ai/search', query);
      if (mine !== reads) return;
      if (!further) list.replaceChildren();
      list.append(...results.map(createHit));
      show(asked, nextCursor, wordsFor(list.childElementCount, Boolean(nextCursor)));
    } catch (error) {
      if (mine !== reads) return;
      if (further) state.textContent = errorText(error); // what was found stays, and the button for the rest
      else show('', null, errorText(error));
    }
  }

  /** After the last ones the button goes: what they have brought comes next. */
  async function readMore() {
    const before = list.childElementCount;
    await read(true);
    if (more.hidden && isFocusLost()) list.querySelectorAll('a')[before]?.focus();
  }

  /** @param {string} asked @param {string | null} following @param {string} text */
  function show(asked, following, text) {
    shown = asked;
    cursor = following;
    more.hidden = !following;
    state.textContent = text;
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
    /** @param {string} text @returns {Promise<boolean>} whether its results are shown, and nothing else was asked for since */
    async search(text) {
      question = text;
      if (shown !== text) await read();
      else reads += 1; // its results are on the screen
      return shown === text && question === text;
    },
    clear() {
      question = '';
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
  if (!count) return 'No chat has these words.';
  return `${count}${more ? ' or more' : ''} ${count === 1 ? 'chat' : 'chats'} found`;
}

/** The text with its hits marked. Places count code points. @param {Excerpt} excerpt @param {string} [none] */
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
