// The passing of time on a page that stays open for hours.

const MINUTE = 60_000; // ms

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
