// Loads the controls of messages. Without them, messages can be read and sent.

import { loadStyle } from '../page/late-view.js';

/** @typedef {import('./message-controls.js').MessageControls} MessageControls */

const LATE = { styles: ['../chat/messages.css'] };

/**
 * @param {Parameters<typeof import('./message-controls.js').createMessageControls>[0]} context
 * @param {() => void} onChange called when they are there, and when the records of turns have changed
 */
export function createLateControls(context, onChange) {
  /** @type {MessageControls | null} */
  let controls = null;
  /** @type {string | null} */
  let chatId = null;
  let isLoading = false;

  async function load() {
    if (controls || isLoading) return;
    isLoading = true;
    const create = import('../chat/message-controls.js').then(({ createMessageControls }) => createMessageControls);
    const [createControls] = await Promise.all([create, ...LATE.styles.map(loadStyle)]).catch(() => []);
    isLoading = false; // if the server is away, the next chat that is opened tries again
    if (!createControls) return;
    controls = createControls(context);
    controls.turns.onChange(onChange);
    controls.turns.open(chatId);
    onChange();
  }

  return {
    /** null until they are loaded */
    get now() {
      return controls;
    },
    /** @param {string | null} id of the chat whose turns are shown @returns {Promise<void>} when they are loaded, or can't be */
    open(id) {
      chatId = id;
      controls?.turns.open(id);
      return load();
    },
    refresh: () => controls?.turns.refresh(),
    stop: () => controls?.turns.stop(),
  };
}
