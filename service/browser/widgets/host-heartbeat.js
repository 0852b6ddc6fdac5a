// @ts-check
// Whether a widget that was sent something still runs. It is asked once after a rest, not after each
// message, and a widget to which nothing is sent is never asked.

export const REST = 1_000; // ms from a message to the question
export const ANSWER_TIME = 4_000; // ms; a page at work may be late

/** @param {{ask: () => void, onSilent: () => void}} options */
export function createHeartbeat({ ask, onSilent }) {
  let timer = 0;
  let isDue = false; // something was sent since the question
  let isSilent = false;

  function begin() {
    isDue = false;
    ask();
    timer = setTimeout(() => {
      isSilent = true;
      onSilent();
    }, ANSWER_TIME);
  }

  const heartbeat = {
    /** A message went to the widget. */
    sent() {
      isDue = timer !== 0;
      timer ||= setTimeout(begin, REST);
    },

    /** The answer has come. @returns {boolean} whether the widget was called silent */
    answered() {
      const wasSilent = isSilent;
      const again = isDue;
      heartbeat.stop();
      if (again) heartbeat.sent();
      return wasSilent;
    },

    stop() {
      clearTimeout(timer);
      [timer, isDue, isSilent] = [0, false, false];
    },
  };
  return heartbeat;
}
