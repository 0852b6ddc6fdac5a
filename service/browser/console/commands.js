// The keys that work in every view: Ctrl+K opens the command palette, `?` the list of shortcuts. The modules of both
// are loaded when they are first used.

import { TEXT_FIELDS } from './keys.js';
import { loadStyle } from '../page/lazy-view.js';
import { isCommand, isComposing, typesText } from '../shared/typing.js';

/**
 * @typedef {object} Console the functions that the palette uses
 * @property {import('../shared/api-transport.js').Transport} transport
 * @property {() => import('../page/view.js').Chats} chats
 * @property {() => {name: string, label: string}[]} entries the views that the user has
 * @property {(hash: string) => void} go shows a view at once and moves the focus to it
 * @property {(sentence: string) => void} announce
 * @property {() => void} signOut
 */

const PALETTE = {
  styles: ['../console/palette.css'],
  load: () => import('./palette.js').then(({ openPalette }) => openPalette),
};
const SHORTCUTS = {
  styles: ['../console/shortcuts.css'],
  load: () => import('./shortcuts.js').then(({ openShortcuts }) => openShortcuts),
};

/** @param {Console & {onUnreachable: () => void}} app */
export function createCommands({ onUnreachable, ...app }) {
  let isLoading = false;
  let isStopped = false;
  let close = () => {};
  const cache = {};
  /** @type {string | null} the text that is typed while the palette is being loaded */
  let early = null;
  document.addEventListener('keydown', press);

  /** @template T @param {{styles: string[], load: () => Promise<T>}} parts @param {(open: T) => () => void} begin */
  async function open({ styles, load }, begin) {
    if (isLoading || document.querySelector('dialog[open]')) return;
    isLoading = true;
    const [loaded] = await Promise.all([load(), ...styles.map(loadStyle)]).catch(() => []);
    isLoading = false;
    if (!loaded) onUnreachable();
    else if (!isStopped && !document.querySelector('dialog[open]')) close = begin(loaded);
  }

  async function showPalette() {
    if (early !== null) return;
    early = '';
    document.addEventListener('keydown', typeEarly, true); // in the capture phase, before the field that has the focus gets the key
    try {
      await open(PALETTE, (begin) => (early === null ? () => {} : begin(app, cache, showShortcuts, early)));
    } finally {
      document.removeEventListener('keydown', typeEarly, true);
      early = null;
    }
  }

  /** @param {KeyboardEvent} event */
  function typeEarly(event) {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (early === null) return;
    if (typesText(event)) early += key;
    else if (ctrlKey || metaKey || altKey) return;
    else if (key === 'Escape') early = null;
    else if (key === 'Backspace') early = early.slice(0, -1);
    else if (key !== 'Enter' && key !== 'Delete') return; // other keys, such as Tab and F5, do not change the text
    event.preventDefault();
    event.stopPropagation();
  }

  const showShortcuts = () => open(SHORTCUTS, (begin) => begin());

  /** @param {KeyboardEvent} event */
  function press(event) {
    const { key, target } = event;
    if (event.defaultPrevented || isComposing(event)) return;
    const isTyped = target instanceof Element && target.closest(TEXT_FIELDS);
    if (isCommand(event, 'k')) showPalette();
    else if (key === '?' && typesText(event) && !isTyped) showShortcuts();
    else return;
    event.preventDefault();
  }

  return {
    showPalette,
    showShortcuts,
    stop() {
      isStopped = true;
      document.removeEventListener('keydown', press);
      document.removeEventListener('keydown', typeEarly, true); // in case the palette is never loaded
      close();
    },
  };
}
