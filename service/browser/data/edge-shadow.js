// Marks a box that scrolls horizontally while there is hidden content to the right, so that its edge can show a shadow.

/**
 * @param {HTMLElement} scroller @param {HTMLElement} content of the scroller, whose width may change
 * @param {HTMLElement} frame around the scroller, which gets the mark
 * @returns {() => void} stops observing
 */
export function markMore(scroller, content, frame) {
  const mark = () => frame.classList.toggle('has-more', scroller.scrollLeft + scroller.clientWidth < scroller.scrollWidth - 1);
  const sizes = new ResizeObserver(mark);
  sizes.observe(scroller);
  sizes.observe(content);
  scroller.addEventListener('scroll', mark, { passive: true });
  return () => sizes.disconnect();
}
