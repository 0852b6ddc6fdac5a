// @ts-check
// Delays the loading of frames until they are near the visible part, because a canvas may have widgets far outside it.

const MARGIN = '50%'; // of the size of the view, on each side

/**
 * @typedef {object} Nearness
 * @property {(node: Element, act: () => void) => () => void} wait calls `act` once when a node comes near
 *   the visible part of the root; it returns a function that ends the wait
 * @property {(node: Element) => void} come ends the wait of a node and calls its `act` now
 * @property {() => void} stop
 */

/** @param {Element} root @returns {Nearness} */
export function createNearness(root) {
  /** @type {Map<Element, () => void>} */
  const waiting = new Map();
  const observer = new IntersectionObserver(
    (entries) => entries.forEach(({ target, isIntersecting }) => isIntersecting && come(target)),
    { root, rootMargin: MARGIN },
  );

  /** @param {Element} node */
  function forget(node) {
    waiting.delete(node);
    observer.unobserve(node);
  }

  /** @param {Element} node */
  function come(node) {
    const act = waiting.get(node);
    forget(node);
    act?.();
  }

  return {
    wait(node, act) {
      waiting.set(node, act);
      observer.observe(node);
      return () => forget(node);
    },
    come,
    stop: () => observer.disconnect(),
  };
}
