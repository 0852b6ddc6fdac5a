// Waiting for a consent that is given in another window. Its page tells how it ended; where that
// does not arrive (another browser, a provider that cuts windows off), the status is asked.

/**
 * What is heard while waiting. 'closed' says nothing by itself: a window that has been cut off
 * looks closed while the user still reads in it.
 * @typedef {import('./oauth-answer.js').Outcome | 'closed' | 'stop'} News
 *
 * @typedef {'granted' | 'unticked' | 'refused' | 'late' | 'stopped'} Ending
 */

const PAUSES = [1_000, 2_000, 5_000];
const PATIENCE = 180_000;

/**
 * @param {object} options
 * @param {() => Promise<boolean>} options.granted asks the status
 * @param {boolean} options.lit whether the status said so before: then only the page can tell
 * @param {ReturnType<typeof createNews>} options.news
 * @param {(what: 'unconfirmed' | 'closed') => void} options.tell
 * @param {(milliseconds: number) => Promise<void>} options.sleep
 * @param {() => number} options.now milliseconds
 * @returns {Promise<Ending>}
 */
export async function waitForConsent({ granted, lit, news, tell, sleep, now }) {
  const end = now() + PATIENCE;
  for (let round = 0; now() < end; round += 1) {
    await Promise.race([sleep(PAUSES[Math.min(round, PAUSES.length - 1)]), news.arrival()]);
    const heard = news.take();
    if (heard === 'stop') return 'stopped';
    if (heard === 'connected') return (await granted()) ? 'granted' : 'unticked';
    if (heard === 'failed') return 'refused';
    if (heard === 'unconfirmed') tell(heard);
    else if (!lit && (await granted())) return 'granted';
    else if (heard === 'closed') tell(heard);
  }
  return 'late';
}

/** What is told before anybody asks is kept until somebody does. */
export function createNews() {
  /** @type {News[]} */
  const kept = [];
  /** @type {(value?: any) => void} */
  let wake = () => {};
  return {
    /** @param {News} item */
    tell(item) {
      kept.push(item);
      wake();
    },
    arrival: () => new Promise((resolve) => (kept.length ? resolve(null) : (wake = resolve))),
    take: () => kept.shift(),
  };
}
