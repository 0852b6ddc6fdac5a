// @ts-check
// Which frames wait until they are nearly seen. A canvas may have widgets far outside of its view.

const MARGIN = '50%'; // of the view, on each side

/**
 * @typedef {object} Nearness
 * @property {(node: Element, act: () => void) => () => void} wait calls `act` once when a node comes near
 *   what is seen of the root; what it returns ends the wait
 * @property {(node: Element) => void} come does not wait any longer
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
