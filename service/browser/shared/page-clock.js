// The passing of time on a page that stays open for hours.

const MINUTE = 60_000; // ms
const SLEEP_CHECK = 30_000; // ms
const SLEPT = 180_000; // ms; a hidden page gets its timers only once a minute

/**
 * Calls a function every minute while the page is visible, and when it becomes visible again, so that times such as
 * "5 min ago" stay right.
 * @param {() => void} act @returns {() => void} ends the calls
 */
export function everyMinute(act) {
  const tick = () => void (document.hidden || act());
  const timer = setInterval(tick, MINUTE);
  document.addEventListener('visibilitychange', tick);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  };
}

/**
 * Calls a function when the computer has slept or the browser has frozen the page: its timers stood still meanwhile.
 * @param {() => void} act @param {() => number} [now] milliseconds @returns {() => void} ends the calls
 */
export function onWake(act, now = Date.now) {
  let last = now();
  const timer = setInterval(() => {
    const time = now();
    if (time - last > SLEPT) act();
    last = time;
  }, SLEEP_CHECK);
  return () => clearInterval(timer);
}
