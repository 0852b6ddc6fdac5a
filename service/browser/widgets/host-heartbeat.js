// @ts-check
// Checks whether a widget still runs after messages were sent to it. It sends one ping after a pause, not one for each
// message. A widget that gets no messages gets no ping.

export const REST = 1_000; // ms from a message to the ping
export const ANSWER_TIME = 4_000; // ms; a busy page may answer late

/** @param {{ask: () => void, onSilent: () => void}} options */
export function createHeartbeat({ ask, onSilent }) {
  let timer = 0;
  let isDue = false; // whether a message was sent since the ping
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
    /** Call this when a message was sent to the widget. */
    sent() {
      isDue = timer !== 0;
      timer ||= setTimeout(begin, REST);
    },

    /** Call this when the answer has come. @returns {boolean} whether `onSilent` was called before */
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
