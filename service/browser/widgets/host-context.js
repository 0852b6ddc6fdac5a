// @ts-check
// What the host tells widgets of its look: colour scheme, language, and the variables of look.css.

import { isDark, onThemeChange } from '../shared/theme.js';

const COLOURS = [
  'ground', 'surface', 'raised', 'sunken', 'hover', 'line', 'line-strong', 'ink', 'ink-soft',
  'accent', 'accent-ink', 'accent-wash', 'danger', 'danger-wash', 'warn', 'warn-wash', 'good',
];
const OTHERS = ['sans', 'mono', 'radius'];

/** @typedef {{theme: 'light' | 'dark', locale: string, cssVars: Record<string, string>}} HostContext */

/** @param {Element} [root] whose variables count @returns {HostContext} */
export function readContext(root = document.documentElement) {
  const style = getComputedStyle(root);
  const entries = [...coloursOf(root), ...OTHERS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])];
  return {
    theme: isDark() ? 'dark' : 'light',
    locale: document.documentElement.lang || navigator.language,
    cssVars: Object.fromEntries(entries.filter(([, value]) => value).map(([name, value]) => [`--${name}`, value])),
  };
}

/**
 * Each colour as it is now, in one form that also a script can read: the variables have two of them.
 * @param {Element} root @returns {string[][]}
 */
function coloursOf(root) {
  const probe = document.createElement('span');
  probe.hidden = true;
  root.append(probe);
  const style = getComputedStyle(probe);
  const known = getComputedStyle(root);
  const colours = COLOURS.filter((name) => known.getPropertyValue(`--${name}`)).map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, style.color];
  });
  probe.remove();
  return colours;
}

export const onContextChange = onThemeChange;
