// Opens the window in which the user gives a consent.

/**
 * Opens a window without a link to its opener, because the provider's page could use the link to navigate this page.
 * The last page of the consent reports over a BroadcastChannel. The feature `noopener` can't be used: with it,
 * `window.open` returns no window, and this page could not close the window later.
 * @param {string} url of this origin, or about:blank @param {string} target @param {string} features
 * @returns {Window | null} null where the browser blocks windows
 */
export function openWindow(url, target, features) {
  const opened = window.open(url, target, features);
  if (opened) opened.opener = null;
  return opened;
}
