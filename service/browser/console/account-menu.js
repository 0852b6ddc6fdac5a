// The signed-in user's menu: the user's name, the color scheme, the command palette, and signing out.

import { createDisclosure } from '../page/disclosure.js';
import { element } from '../shared/elements.js';
import { THEMES, onThemeChange, setTheme, theme } from '../shared/theme.js';
import { IS_APPLE } from '../shared/typing.js';

const PALETTE_KEYS = IS_APPLE ? '⌘K' : 'Ctrl+K';

/** @param {{subject: string, signOut: () => void, showPalette: () => void, showShortcuts: () => void}} options */
export function createAccountMenu({ subject, signOut, showPalette, showShortcuts }) {
  const label = `Account of ${subject}`;
  const initial = element('span', { class: 'initial', 'aria-hidden': 'true' }, [...subject][0]?.toUpperCase() ?? '?');
  const button = element('button', { type: 'button', class: 'account-button', 'aria-label': label, title: label }, initial);
  const themes = createThemes();
  const panel = element(
    'div',
    { class: 'disclosure-panel' },
    element('p', { class: 'hint' }, 'Signed in as'),
    element('p', { class: 'subject' }, subject),
    element('p', { class: 'hint', id: 'colour-scheme' }, 'Colour scheme'),
    themes.node,
    entry('Search and commands', PALETTE_KEYS, showPalette),
    entry('Keyboard shortcuts', '?', showShortcuts),
    element('button', { type: 'button', class: 'quiet', on: { click: signOut } }, 'Sign out'),
  );
  const disclosure = createDisclosure({ button, panel, class: 'account-menu' });

  /** @param {string} words @param {string} keys @param {() => void} show */
  function entry(words, keys, show) {
    const press = () => {
      disclosure.close();
      button.focus(); // when the dialog is closed, the focus returns to this button
      show();
    };
    return element('button', { type: 'button', class: 'account-entry', on: { click: press } }, words, element('kbd', {}, keys));
  }

  return {
    node: disclosure.node,
    stop() {
      disclosure.stop();
      themes.stop();
    },
  };
}

function createThemes() {
  const buttons = THEMES.map(([name, label]) =>
    element('button', { type: 'button', data: { name }, on: { click: () => setTheme(name) } }, label),
  );
  const node = element('div', { class: 'choice-bar', role: 'group', 'aria-labelledby': 'colour-scheme' }, ...buttons);
  const mark = () => {
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.name === theme()));
  };
  mark();
  return { node, stop: onThemeChange(mark) };
}
