// A view that loads its modules and style sheets when it is first shown, so that the first page of the console
// stays small.

import { element, tryAgain } from '../shared/elements.js';

/**
 * @typedef {import('./view.js').View} View
 * @typedef {import('./view.js').ViewContext} ViewContext
 */

/**
 * @param {ViewContext} context
 * @param {{title: string, styles: string[], load: () => Promise<(context: ViewContext) => View>}} parts
 *   `styles` are addresses relative to this module
 * @returns {View}
 */
export function createLazyView(context, { title, styles, load }) {
  const text = element('p', { role: 'status' }, 'Loading…');
  const retry = element('button', { type: 'button', class: 'quiet', hidden: true, on: { click: () => tryAgain(start, retry, () => view?.focus()) } }, 'Try again');
  const node = element('div', { class: 'late-view' }, element('div', { class: 'late-note' }, text, retry));
  /** @type {View | null} */
  let view = null;
  /** @type {string | null} */
  let shown = null;
  let focused = false;
  let stopped = false;

  async function start() {
    text.textContent = 'Loading…';
    retry.hidden = true;
    let isLoaded = false;
    try {
      const [create] = await Promise.all([load(), ...styles.map(loadStyle)]);
      isLoaded = true;
      if (!stopped) begin(create(context));
    } catch (error) {
      text.textContent = 'This page can’t be loaded. Check that the server is running, then try again.';
      retry.hidden = false;
      if (isLoaded) throw error; // a fault of the code, which its developers must see
    }
  }

  /** @param {View} loaded */
  function begin(loaded) {
    view = loaded;
    node.replaceChildren(view.node);
    view.show(shown);
    if (focused) view.focus();
    context.onTitle();
  }

  /** Tries again after a failure, because the server may be available again. */
  function again() {
    if (!view && !retry.hidden && !stopped) start();
  }

  const stopWatching = context.socket.onPhase(() => context.socket.phase === 'open' && again());
  start();
  return {
    node,
    get title() {
      return view?.title ?? title;
    },
    show(id) {
      shown = id;
      view?.show(id);
      again();
    },
    refresh() {
      view?.refresh();
      again();
    },
    focus() {
      focused = true;
      view?.focus();
    },
    stop() {
      stopped = true;
      stopWatching();
      view?.stop();
    },
  };
}

/** @type {Map<string, Promise<void>>} by address: the style sheets that are loaded or being loaded */
const sheets = new Map();

/** @param {string} address relative to this module @returns {Promise<void>} resolves when the style sheet applies */
export function loadStyle(address) {
  const { href } = new URL(address, import.meta.url);
  const sheet = sheets.get(href) ?? createSheet(href);
  sheets.set(href, sheet);
  sheet.catch(() => sheets.delete(href)); // so that it is loaded again
  return sheet;
}

/** @param {string} href @returns {Promise<void>} */
function createSheet(href) {
  return new Promise((resolve, reject) => {
    const link = element('link', { rel: 'stylesheet', href });
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${href} can't be loaded`));
    };
    document.head.append(link);
  });
}
