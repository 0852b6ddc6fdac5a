// @ts-check
// Sets up a widget's page: the client, the panel, and the sign-in for a standalone page.

import { focusPressedButtons } from '../shared/elements.js';
import { createPanel } from './widget-panel.js';
import { createSignIn } from './widget-sign-in.js';
import { createWidgetClient } from './widget-client.js';

/** @param {string} title */
export function createWidget(title) {
  focusPressedButtons();
  const signIn = createSignIn(/** @type {HTMLElement} */ (document.getElementById('widget')));
  const client = createWidgetClient({ getToken: signIn.token });
  const panel = createPanel(client, { title, signOut: signIn.forget });
  const isAlone = window.parent === window; // a standalone page has no slots to connect
  panel.main.classList.toggle('alone', isAlone);
  client.ready.then(({ context }) => applyLook(context), panel.showProblem);
  client.onContext(applyLook);
  return { client, panel, isAlone, onSettings: (/** @type {(settings: Record<string, any>) => void} */ listener) => followSettings(client, listener) };
}

/**
 * Calls the listener with the settings of this widget on the canvas, and again when they change. A standalone page has
 * no settings.
 * @param {import('./widget-client.d.ts').WidgetClient} client @param {(settings: Record<string, any>) => void} listener
 */
function followSettings(client, listener) {
  let known = '{}';
  const take = (/** @type {{settings?: Record<string, any>}} */ { settings = {} }) => {
    const now = JSON.stringify(settings);
    if (now !== known) listener(settings);
    known = now;
  };
  client.ready.then(({ context }) => take(context), () => {}); // the panel shows the error
  client.onContext(take);
}

/** Applies the look of the canvas. @param {{theme: string, cssVars: Record<string, string>}} context */
function applyLook({ theme, cssVars }) {
  const { style } = document.documentElement;
  style.colorScheme = theme;
  for (const [name, value] of Object.entries(cssVars)) style.setProperty(name, value);
}
