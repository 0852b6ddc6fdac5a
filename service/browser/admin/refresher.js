// Reloads the data of the page every ten seconds while the page is visible. If the server can't be reached, the last
// data stay, with the time at which they were loaded.

import { ApiError, NetworkError, errorText } from '../shared/errors.js';
import { element } from '../shared/elements.js';
import { timeWithSeconds } from '../shared/time-format.js';

const INTERVAL = 10_000; // ms

/** @param {{load: () => Promise<() => void>, isVisible: () => boolean}} options `load` resolves to a function that shows the answer */
export function createRefresher({ load, isVisible }) {
  const node = element('p', { class: 'hint' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const timer = setInterval(tick, INTERVAL);
  document.addEventListener('visibilitychange', tick);
  let latest = 0; // the number of the newest request
  let oldest = 0; // the oldest request whose answer may be shown: not older than the last action or the shown answer

  function tick() {
    if (!document.hidden && isVisible()) read();
  }

  /** Loads the data now. Answers to earlier requests are dropped. */
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
    // If the server can't be reached, the notice of the page says so.
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
    /** Call this when another section is shown. */
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
