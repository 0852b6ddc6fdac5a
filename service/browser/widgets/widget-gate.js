// @ts-check
// The content of a widget before it may read from an account: a text and one button, for one flag.
//
// On a canvas, the first call asks for approval, so the widget waits for a click. On a standalone page, a widget whose
// permission is granted loads its data at once.

import { button } from './widget-ui.js';

/**
 * @param {any} client
 * @param {import('./widget-panel.js').Panel} panel
 * @param {object} options
 * @param {string} options.flag of the connection status; one for each permission
 * @param {string} options.closed the text while the permission is not granted
 * @param {string} options.open the text when it is granted
 * @param {string} options.action the label of the button
 * @param {() => void} options.act reads the data; requests a consent if it is missing
 */
export function createGate(client, panel, { flag, closed, open, action, act }) {
  const wait = panel.showEmpty;
  const shown = wait(open, button(action, act));
  begin().catch(panel.showProblem);

  async function begin() {
    const { mode } = await client.ready;
    await client.scopes.refresh();
    if (panel.main.dataset.state !== 'empty' || !shown.isConnected) return; // the user has already started a call, or a draft is shown
    if (!client.scopes.has(flag)) wait(closed, button('Connect', act, { class: 'primary' }));
    else if (mode === 'standalone') act();
  }
}
