// @ts-check
// What the host tells widgets of its look: colour scheme, language, and the variables of look.css.

const VARIABLES = [
  'ground', 'surface', 'raised', 'sunken', 'hover', 'line', 'line-strong', 'ink', 'ink-soft',
  'accent', 'accent-ink', 'accent-wash', 'danger', 'danger-wash', 'warn', 'warn-wash', 'good',
  'sans', 'mono', 'radius',
];

/** @typedef {{theme: 'light' | 'dark', locale: string, cssVars: Record<string, string>}} HostContext */

/** @param {Element} [root] whose variables count @returns {HostContext} */
export function readContext(root = document.documentElement) {
  const style = getComputedStyle(root);
  const entries = VARIABLES.map((name) => [`--${name}`, style.getPropertyValue(`--${name}`).trim()]);
  return {
    theme: darkScheme().matches ? 'dark' : 'light',
    locale: document.documentElement.lang || navigator.language,
    cssVars: Object.fromEntries(entries.filter(([, value]) => value)),
  };
}

/** @param {() => void} act @returns {() => void} ends it */
export function onContextChange(act) {
  const scheme = darkScheme();
  scheme.addEventListener('change', act);
  return () => scheme.removeEventListener('change', act);
}

function darkScheme() {
  return matchMedia('(prefers-color-scheme: dark)');
}
