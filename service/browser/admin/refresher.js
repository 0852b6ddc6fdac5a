// Loads what the page shows every ten seconds while somebody can see it. What was loaded last stays
// when the server can't be reached, with the time at which it was true.

import { ApiError, NetworkError, errorText } from '../shared/errors.js';
import { element } from '../shared/elements.js';
import { timeWithSeconds } from '../shared/when.js';

const INTERVAL = 10_000; // ms

/** @param {{load: () => Promise<() => void>, isVisible: () => boolean}} options `load` resolves to what shows the answer */
export function createRefresher({ load, isVisible }) {
  const node = element('p', { class: 'hint' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const timer = setInterval(tick, INTERVAL);
  document.addEventListener('visibilitychange', tick);
  let latest = 0; // request
  let oldest = 0; // one whose answer may still be shown: none from before an action, or from before what is shown

  function tick() {
    if (!document.hidden && isVisible()) read();
  }

  /** What was asked for earlier is of no use any more. */
  function now() {
    oldest = latest + 1;
    return read();
  }

  async function read() {
    const number = ++latest;
    try {
      const show = await load();
      if (number < oldest) return;
      oldest = number;
      show();
      say(`Updated ${timeWithSeconds(new Date())}`, '');
    } catch (error) {
      if (number >= oldest) fail(error);
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    if (error instanceof ApiError && error.code === 'forbidden') say('', 'Only admins can see this page.');
    else if (!(error instanceof NetworkError)) say(node.textContent, errorText(error));
    // The page's notice says that the server can't be reached.
  }

  /** @param {string} hint @param {string} text */
  function say(hint, text) {
    node.textContent = hint;
    if (problem.textContent !== text) problem.textContent = text;
  }

  return {
    node,
    problem,
    now,
    /** Something else is shown now, which is not loaded yet. */
    restart() {
      say('', '');
      now();
    },
    stop() {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', tick);
    },
  };
}
