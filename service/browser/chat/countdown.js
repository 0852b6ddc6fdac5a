// Updates the sentence that says how long a question can still be answered.

const TICK = 10_000; // ms

/** @param {() => void} update writes the sentence with the remaining time */
export function createCountdown(update) {
  /** @type {any} */
  let timer = 0;

  /** The countdown also runs while the card is not on the page, because the card may be shown again. @param {string} expiresAt ISO 8601 */
  function start(expiresAt) {
    clearTimeout(timer);
    update();
    if (Date.parse(expiresAt) > Date.now()) timer = setTimeout(() => start(expiresAt), TICK);
  }

  return { start, stop: () => clearTimeout(timer) };
}

/** Sets a text only if it differs, because screen readers read out a text each time it is set. @param {HTMLElement} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
