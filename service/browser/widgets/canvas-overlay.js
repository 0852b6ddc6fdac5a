// @ts-check
// Drawings over a canvas during a drag: the area that selects widgets, and the alignment guides. They are drawn in
// screen pixels, so that lines have the same width at every zoom.

import { element } from '../shared/elements.js';

/**
 * @typedef {import('./canvas-geometry.js').Box} Box
 * @typedef {import('./canvas-snapping.js').Guide} Guide
 */

export function createOverlay() {
  const area = element('div', { class: 'canvas-area', hidden: true });
  const lines = { x: lineNode('x'), y: lineNode('y') };
  const node = element('div', { class: 'canvas-overlay', 'aria-hidden': 'true' }, area, lines.x, lines.y);
  return {
    node,
    /** @param {Box | null} box in the view; null for none */
    showArea(box) {
      area.hidden = !box;
      if (!box) return;
      area.style.transform = `translate(${box.x}px, ${box.y}px)`;
      area.style.width = `${box.width}px`;
      area.style.height = `${box.height}px`;
    },
    /** @param {Guide[]} guides at most one for each axis, in pixels of the view */
    showGuides(guides) {
      for (const axis of /** @type {const} */ (['x', 'y'])) {
        const guide = guides.find((one) => one.axis === axis);
        lines[axis].hidden = !guide;
        if (guide) lines[axis].style.transform = `translate${axis.toUpperCase()}(${guide.at}px)`;
      }
    },
  };
}

/** @param {'x' | 'y'} axis of the guide @returns {HTMLElement} */
function lineNode(axis) {
  return element('div', { class: `canvas-guide canvas-guide-${axis}`, hidden: true });
}
