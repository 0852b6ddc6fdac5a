// @ts-check
// Delays the loading of frames until they are near the visible part, because a canvas may have widgets far outside it.

const MARGIN = '50%'; // of the size of the view, on each side

/**
 * @typedef {object} LazyLoading
 * @property {(node: Element, act: () => void) => () => void} wait calls `act` once when a node comes near
 *   the visible part of the root; it returns a function that ends the wait
 * @property {(node: Element) => void} loadNow ends the wait of a node and calls its `act` now
 * @property {() => void} stop
 */

/** @param {Element} root @returns {LazyLoading} */
export function createLazyLoading(root) {
  /** @type {Map<Element, () => void>} */
  const waiting = new Map();
  const observer = new IntersectionObserver(
    (entries) => entries.forEach(({ target, isIntersecting }) => isIntersecting && loadNow(target)),
    { root, rootMargin: MARGIN },
  );

  /** @param {Element} node */
  function forget(node) {
    waiting.delete(node);
    observer.unobserve(node);
  }

  /** @param {Element} node */
  function loadNow(node) {
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
    loadNow,
    stop: () => observer.disconnect(),
  };
}
