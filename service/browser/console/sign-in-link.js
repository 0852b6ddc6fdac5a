// A link that signs in: `/#token=…`. The token leaves the address and the history before any other module
// of the page runs: this module imports nothing, and its script is the first one of the page.

const START = '#token=';

/** @type {(token: string) => void} */
let receive = (token) => (waiting = token);
let waiting = takeFrom(location.pathname + location.search);

// A link that is opened in this tab changes the hash only. It is no route: nobody else is told of it.
window.addEventListener('hashchange', (event) => {
  if (!location.hash.startsWith(START)) return;
  event.stopImmediatePropagation();
  receive(takeFrom(event.oldURL));
});

/** @param {string} address that replaces the one with the token @returns {string} the token, or '' */
function takeFrom(address) {
  if (!location.hash.startsWith(START)) return '';
  const token = location.hash.slice(START.length);
  history.replaceState(null, '', address);
  return token;
}

/** @param {(token: string) => void} listener is called with the token of each link, an earlier one at once */
export function onSignInLink(listener) {
  receive = listener;
  if (waiting) listener(waiting);
  waiting = '';
}
