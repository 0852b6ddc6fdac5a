// @ts-check
// The look of the host, which it sends to widgets: the color scheme, the language, and the variables of look.css.

import { isDark, onThemeChange } from '../shared/theme.js';

const COLOURS = [
  'ground', 'surface', 'raised', 'sunken', 'hover', 'line', 'line-strong', 'ink', 'ink-soft',
  'accent', 'accent-ink', 'accent-wash', 'danger', 'danger-wash', 'warn', 'warn-wash', 'good',
];
const OTHERS = ['sans', 'mono', 'radius'];

/** @typedef {{theme: 'light' | 'dark', locale: string, cssVars: Record<string, string>}} HostContext */

/** @param {Element} [root] the element whose variables are read @returns {HostContext} */
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
 * Each color with its current value, in a form that scripts can read: a variable has one color for the light scheme and one for the dark.
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
