// Opens the window in which a consent is given.

/**
 * A window without a way back: the provider's page could send this one elsewhere. The page at the end
 * reports over a channel. `noopener` as a feature would return no window, which is to be closed later.
 * @param {string} url of this origin, or about:blank @param {string} target @param {string} features
 * @returns {Window | null} null where the browser blocks windows
 */
export function openWindow(url, target, features) {
  const opened = window.open(url, target, features);
  if (opened) opened.opener = null;
  return opened;
}
