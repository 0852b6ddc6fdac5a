// Waits for a consent that the user gives in another window. The last page of the consent reports the outcome.
// The report may not arrive (another browser, a provider that isolates windows), so the status is polled too.

/**
 * What can arrive while this module waits. 'closed' alone decides nothing: a window that the provider isolates
 * looks closed while the user is still on its page.
 * @typedef {import('./oauth-answer.js').Outcome | 'closed' | 'stop'} Signal
 *
 * @typedef {'granted' | 'unticked' | 'refused' | 'late' | 'stopped'} Ending
 */

const POLL_INTERVALS = [1_000, 2_000, 5_000]; // ms; the last one repeats
const TIMEOUT = 180_000; // ms

/**
 * @param {object} options
 * @param {() => Promise<boolean>} options.readGranted reads the status; if it throws, the status is read again later
 * @param {boolean} options.grantedBefore whether the permission was granted before: if so, the status proves nothing, and only
 *   the report of the last page counts
 * @param {ReturnType<typeof createSignals>} options.signals
 * @param {(stage: 'unconfirmed' | 'closed') => void} options.onStage
 * @param {(milliseconds: number) => Promise<void>} options.sleep
 * @param {() => number} options.now milliseconds
 * @returns {Promise<Ending>}
 */
export async function waitForConsent({ readGranted, grantedBefore, signals, onStage, sleep, now }) {
  const end = now() + TIMEOUT;
  const read = () => readGranted().catch(() => null); // a failed request must not close the page that the user is on
  let isReported = false; // whether a page has reported that the account is connected
  for (let round = 0; now() < end; round += 1) {
    const interval = POLL_INTERVALS[Math.min(round, POLL_INTERVALS.length - 1)];
    await Promise.race([sleep(interval), signals.arrival()]);
    const signal = signals.take();
    if (signal === 'stop') return 'stopped';
    if (signal === 'failed') return 'refused';
    isReported ||= signal === 'connected';
    if (signal === 'unconfirmed') {
      onStage(signal);
      continue;
    }
    const isGranted = grantedBefore && !isReported ? null : await read();
    if (isGranted) return 'granted';
    if (isReported && isGranted === false) return 'unticked';
    if (signal === 'closed') onStage(signal);
  }
  return 'late';
}

/** A queue of signals. Signals that arrive while nothing waits for them are kept. */
export function createSignals() {
  /** @type {Signal[]} */
  const queue = [];
  /** @type {(value?: any) => void} */
  let wake = () => {};
  return {
    /** @param {Signal} signal */
    send(signal) {
      queue.push(signal);
      wake();
    },
    arrival: () => new Promise((resolve) => (queue.length ? resolve(null) : (wake = resolve))),
    take: () => queue.shift(),
  };
}
