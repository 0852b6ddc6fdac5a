// Notices that the computer has slept, or that the browser has frozen the page: its timers stood still meanwhile.

const STEP = 30_000; // ms
const LONG = 180_000; // ms; a hidden page gets its timers only once a minute

/** @param {() => void} act called after a sleep @param {() => number} [now] milliseconds @returns {() => void} ends the calls */
export function onWake(act, now = Date.now) {
  let last = now();
  const timer = setInterval(() => {
    const time = now();
    if (time - last > LONG) act();
    last = time;
  }, STEP);
  return () => clearInterval(timer);
}
