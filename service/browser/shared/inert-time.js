// @ts-check
// The time in which the buttons of a question do nothing: a click or a key may have been meant for the page.
//
// It begins with the first frame that shows the question. An input counts by the time at which it was made:
// where the page was busy, a click is handled long after it, and what was clicked at had perhaps not been painted.

const INERT = 400; // ms after the question is seen

/**
 * @param {() => void} onChange the buttons begin to rest, or can be pressed again
 * @param {() => number} [now] milliseconds, on the clock of `Event.timeStamp`
 */
export function createInertTime(onChange, now = () => performance.now()) {
  let until = Infinity;
  let frame = 0;
  let timer = 0;

  /** The question is shown, or says something else than before. */
  function begin() {
    stop();
    until = Infinity;
    onChange();
    // The first callback runs before the question is painted, the second one after.
    frame = requestAnimationFrame(() => (frame = requestAnimationFrame(seen)));
  }

  function seen() {
    until = now() + INERT;
    timer = setTimeout(onChange, INERT + 1);
  }

  /** Nothing is painted in a hidden page; who comes back sees the question for the first time. */
  function watch() {
    if (document.visibilityState === 'visible') begin();
  }

  function stop() {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  }

  return {
    /** The first time; until `end`. */
    start() {
      document.addEventListener('visibilitychange', watch);
      begin();
    },
    begin,
    end() {
      document.removeEventListener('visibilitychange', watch);
      stop();
    },
    /** @param {Event} [input] that came; now if absent */
    covers: (input) => (input ? input.timeStamp : now()) < until,
  };
}
