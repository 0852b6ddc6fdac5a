// @ts-check
// A short delay in which the buttons of a new question do nothing, because a click or a key press at that moment
// was probably meant for the page behind the question.
//
// The delay begins with the first frame that shows the question. The time of the input itself counts, not the time
// at which it is handled: on a busy page, a click can be handled long after it was made.

const DELAY = 400; // ms after the question is painted

/**
 * @param {() => void} onChange called when the delay begins and when it ends
 * @param {() => number} [now] milliseconds, on the clock of `Event.timeStamp`
 */
export function createActivationDelay(onChange, now = () => performance.now()) {
  let until = Infinity;
  let frame = 0;
  let timer = 0;

  /** Call this when the question is shown, and when its text changes. */
  function begin() {
    stop();
    until = Infinity;
    onChange();
    // The first callback runs before the question is painted, the second one after.
    frame = requestAnimationFrame(() => (frame = requestAnimationFrame(seen)));
  }

  function seen() {
    until = now() + DELAY;
    timer = setTimeout(onChange, DELAY + 1);
  }

  /** A hidden page is not painted: when the user returns to it, the question is seen for the first time. */
  function watch() {
    if (document.visibilityState === 'visible') begin();
  }

  function stop() {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  }

  return {
    /** Begins the first delay, and watches the page until `end` is called. */
    start() {
      document.addEventListener('visibilitychange', watch);
      begin();
    },
    begin,
    end() {
      document.removeEventListener('visibilitychange', watch);
      stop();
    },
    /** Whether an input falls into the delay. @param {Event} [input] the current time counts without it */
    covers: (input) => (input ? input.timeStamp : now()) < until,
  };
}
