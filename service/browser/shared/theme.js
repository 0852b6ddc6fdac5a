// The color scheme: that of the system, or the one that the user has chosen for this browser.

import { createListeners } from './listeners.js';
import { storageOf, storeIfPossible } from './site-data.js';

const KEY = 'console.theme';

/** @typedef {'system' | 'light' | 'dark'} Theme */

/** The themes with their labels. @type {[Theme, string][]} */
export const THEMES = [['system', 'System'], ['light', 'Light'], ['dark', 'Dark']];

const listeners = createListeners();

/** @returns {Theme} */
export function theme() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

/** Applies a theme. @param {string | null} name an unknown name means the system's scheme */
function applyTheme(name) {
  const root = document.documentElement;
  if (name === 'light' || name === 'dark') root.dataset.theme = name;
  else delete root.dataset.theme;
  listeners.notify();
}

/** Applies a theme and stores it for this browser. @param {Theme} name @param {Storage} storage */
export function setTheme(name, storage = storageOf(() => localStorage)) {
  if (name === 'system') storage.removeItem(KEY);
  else storeIfPossible(storage, KEY, name);
  applyTheme(name);
}

/** Applies the stored theme, also when another tab changes it. @param {Storage} storage */
export function followTheme(storage = storageOf(() => localStorage)) {
  applyTheme(storage.getItem(KEY));
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY) applyTheme(newValue);
  });
}

/** @returns {boolean} whether the page is dark now */
export function isDark() {
  return theme() === 'system' ? darkScheme().matches : theme() === 'dark';
}

/** @param {() => void} act called after the page has become light or dark @returns {() => void} removes the listener */
export function onThemeChange(act) {
  const scheme = darkScheme();
  const remove = listeners.add(act);
  scheme.addEventListener('change', act);
  return () => {
    remove();
    scheme.removeEventListener('change', act);
  };
}

function darkScheme() {
  return matchMedia('(prefers-color-scheme: dark)');
}
