// Loads the controls of messages after the first page. Messages can be read and sent without them.

import { loadStyle } from '../page/lazy-view.js';

/** @typedef {import('./message-controls.js').MessageControls} MessageControls */

const LAZY = { styles: ['../chat/messages.css'] };

/**
 * @param {Parameters<typeof import('./message-controls.js').createMessageControls>[0]} context
 * @param {() => void} onChange called when the controls are loaded, and when the records of turns have changed
 */
export function createLazyControls(context, onChange) {
  /** @type {MessageControls | null} */
  let controls = null;
  /** @type {string | null} */
  let chatId = null;
  let isLoading = false;
  let isStopped = false;

  async function load() {
    if (controls || isLoading) return;
    isLoading = true;
    const create = import('../chat/message-controls.js').then(({ createMessageControls }) => createMessageControls);
    const [createControls] = await Promise.all([create, ...LAZY.styles.map(loadStyle)]).catch(() => []);
    isLoading = false; // if this fails, opening the next chat tries again
    if (!createControls || isStopped) return;
    controls = createControls(context);
    controls.turns.onChange(onChange);
    controls.turns.open(chatId);
    onChange();
  }

  return {
    /** the controls; null until they are loaded */
    get now() {
      return controls;
    },
    /** @param {string | null} id of the chat whose turns are shown @returns {Promise<void>} resolves when the controls are loaded, or loading has failed */
    open(id) {
      chatId = id;
      controls?.turns.open(id);
      return load();
    },
    refresh: () => controls?.turns.refresh(),
    stop() {
      isStopped = true;
      controls?.turns.stop();
    },
  };
}
