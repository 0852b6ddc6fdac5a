// Makes screen readers read out sentences. They read out a live region when its text changes.

/** @param {HTMLElement} region a live region of the page @param {(act: () => void) => unknown} [inNextFrame] */
export function createAnnouncer(region, inNextFrame = (act) => requestAnimationFrame(act)) {
  /** @type {Set<string>} the sentences for the next frame: several may come at once, such as the questions of two calls */
  const waiting = new Set();
  let isDue = false; // whether the next frame reads them out

  function show() {
    isDue = false;
    region.textContent = [...waiting].join(' ');
    waiting.clear();
  }

  return {
    /** @param {string} sentence */
    announce(sentence) {
      region.textContent = ''; // so that the same sentence is a change too
      waiting.add(sentence);
      if (!isDue) inNextFrame(show);
      isDue = true;
    },
    clear() {
      region.textContent = '';
      waiting.clear();
    },
  };
}
