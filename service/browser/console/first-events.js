// Handles what happens before any other module of the page runs: this module imports nothing, and its script is the first
// one of the page.
//
// The token of a sign-in link, `/#token=…`, is removed from the address and the history. Ctrl+K is noted: the browser would
// use it otherwise, for a search in its address field.

const START = '#token=';

/** @type {(token: string) => void} */
let receive = (token) => (waiting = token);
let waiting = takeFrom(location.pathname + location.search);

// A link that is opened in this tab changes only the hash. The hash is not a route, so other listeners don't get the event.
window.addEventListener('hashchange', (event) => {
  if (!location.hash.startsWith(START)) return;
  event.stopImmediatePropagation();
  receive(takeFrom(event.oldURL));
});

/** @param {string} address that is shown instead of the address of the link @returns {string} the token, or '' */
function takeFrom(address) {
  if (!location.hash.startsWith(START)) return '';
  const token = location.hash.slice(START.length);
  history.replaceState(null, '', address);
  return token;
}

/** @param {(token: string) => void} listener called with the token of each link; at once for a link that was opened before */
export function onSignInLink(listener) {
  receive = listener;
  if (waiting) listener(waiting);
  waiting = '';
}

let isPaletteRequested = false;
document.addEventListener('keydown', notePalette);

/** @param {KeyboardEvent} event the same key as in commands.js */
function notePalette(event) {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (key.toLowerCase() !== 'k' || ctrlKey === metaKey || altKey || shiftKey) return;
  isPaletteRequested = true;
  event.preventDefault();
}

/** Whether Ctrl+K was pressed until now. Call this when the page is shown; later presses are not noted. @returns {boolean} */
export function takePaletteRequest() {
  document.removeEventListener('keydown', notePalette);
  const isRequested = isPaletteRequested;
  isPaletteRequested = false;
  return isRequested;
}
