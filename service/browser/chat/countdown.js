// Says anew, while time passes, how long a question can still be answered.

const TICK = 10_000; // ms

/** @param {() => void} say the sentence, with the time that is left now */
export function createCountdown(say) {
  /** @type {any} */
  let timer = 0;

  /** Also while the card is not on the page: it may come back. @param {string} expiresAt ISO 8601 */
  function start(expiresAt) {
    clearTimeout(timer);
    say();
    if (Date.parse(expiresAt) > Date.now()) timer = setTimeout(() => start(expiresAt), TICK);
  }

  return { start, stop: () => clearTimeout(timer) };
}

/** A text that is the same is not written again: a screen reader would read it again. @param {HTMLElement} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
