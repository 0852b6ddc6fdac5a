// @ts-check
// What a widget shows before it may read from an account: one flag, one button.
//
// On a canvas the first call asks for approval, so it waits for a click. On a page of its own, a
// widget whose permission is granted loads at once.

import { button } from './widget-ui.js';

/**
 * @param {any} client
 * @param {import('./widget-panel.js').Panel} panel
 * @param {object} options
 * @param {string} options.flag of the connection status; one for each permission
 * @param {string} options.closed what is said while it isn't granted
 * @param {string} options.open what is said once it is
 * @param {string} options.action the button's text
 * @param {() => void} options.act reads; asks for consent where that is missing
 */
export function createGate(client, panel, { flag, closed, open, action, act }) {
  const wait = panel.showEmpty;
  const shown = wait(open, button(action, act));
  begin().catch(panel.showProblem);

  async function begin() {
    const { mode } = await client.ready;
    await client.scopes.refresh();
    if (panel.main.dataset.state !== 'empty' || !shown.isConnected) return; // the user was faster, or a draft is shown
    if (!client.scopes.has(flag)) wait(closed, button('Connect', act, { class: 'primary' }));
    else if (mode === 'standalone') act();
  }
}
