// @ts-check
// Controls which part of the canvas is visible: pan and zoom with the wheel, with fingers, and with calls from buttons
// and keys.

import { draggable } from './canvas-gestures.js';
import { boxAround } from './canvas-geometry.js';
import { fitViewport, panViewport, pinchViewport, revealBox, toCanvas, toScreen, zoomViewport } from './canvas-viewport.js';

/**
 * @typedef {import('./canvas-geometry.js').Point} Point
 * @typedef {import('./canvas-geometry.js').Box} Box
 * @typedef {import('./canvas-viewport.js').Viewport} Viewport
 */

const LINE = 16; // pixels for one line, if the wheel counts in lines
const WHEEL_PAUSE = 250; // ms without a wheel event between two gestures

/** @param {HTMLElement} node the view @param {HTMLElement} surface the element that moves below the view */
export function createCamera(node, surface) {
  /** @type {Viewport} */
  let viewport = { x: 0, y: 0, zoom: 1 };
  /** @type {Viewport | null} */
  let fitted = null; // where all widgets were shown last
  /** @type {Map<number, Point>} */
  const fingers = new Map();
  /** @type {any} */
  let wheelEnd = 0;
  const size = () => ({ width: node.clientWidth, height: node.clientHeight });
  const center = () => ({ x: node.clientWidth / 2, y: node.clientHeight / 2 });

  /** @param {Viewport} next */
  function set(next) {
    viewport = next;
    surface.style.transform = `translate(${next.x}px, ${next.y}px) scale(${next.zoom})`;
  }

  /** @param {{clientX: number, clientY: number}} event @returns {Point} of the view */
  function inView({ clientX, clientY }) {
    const { left, top } = node.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /** @param {WheelEvent} event */
  function turnWheel(event) {
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const zooms = event.ctrlKey || event.metaKey;
    const { clientX, clientY } = event;
    wheel({ dx: event.deltaX * unit, dy: event.deltaY * unit, zooms, clientX, clientY });
    keepWheel();
  }

  /** Continues a wheel gesture that began on the canvas, even when a frame moves under the pointer. */
  function keepWheel() {
    node.classList.add('wheeling');
    clearTimeout(wheelEnd);
    wheelEnd = setTimeout(() => node.classList.remove('wheeling'), WHEEL_PAUSE);
  }

  /** @param {{dx: number, dy: number, zooms: boolean, clientX: number, clientY: number}} turn in pixels */
  function wheel({ dx, dy, zooms, ...event }) {
    set(zooms ? zoomViewport(viewport, Math.exp(-dy / 300), inView(event)) : panViewport(viewport, -dx, -dy));
  }

  /** @param {PointerEvent} event */
  function moveFinger(event) {
    if (!fingers.has(event.pointerId)) return;
    const before = [...fingers.values()];
    fingers.set(event.pointerId, inView(event));
    const after = [...fingers.values()];
    if (after.length === 2) set(pinchViewport(viewport, [before[0], before[1]], [after[0], after[1]]));
  }

  /** @param {Event} event */
  function isEmptyPlace({ target }) {
    return target === node || target === surface;
  }

  node.addEventListener('wheel', turnWheel, { passive: false });
  node.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    if (event.isPrimary) fingers.clear(); // no event reports the end of a finger whose target was removed
    fingers.set(event.pointerId, inView(event));
  });
  node.addEventListener('pointermove', moveFinger);
  node.addEventListener('pointerup', (event) => fingers.delete(event.pointerId));
  node.addEventListener('pointercancel', (event) => fingers.delete(event.pointerId));

  draggable(node, node, (event) => {
    if (event.shiftKey || !isEmptyPlace(event)) return null; // with Shift, the user draws an area instead
    const start = viewport;
    const move = (/** @type {number} */ dx, /** @type {number} */ dy) => set(panViewport(start, dx, dy));
    return { move, end: () => {}, cancel: () => {} };
  });

  return {
    get zoom() {
      return viewport.zoom;
    },
    /** @param {{clientX: number, clientY: number}} event @returns {Point} of the canvas */
    pointOf: (event) => toCanvas(viewport, inView(event)),
    isEmptyPlace,
    wheel,
    /** @param {Point} point of the canvas @returns {Point} of the view */
    inView: (point) => toScreen(viewport, point),
    /** @returns {Point} the point of the canvas in the middle of the view */
    middle: () => toCanvas(viewport, center()),
    /** Keeps the point in the middle of the view there. @param {() => void} change of the view's size */
    keepMiddle(change) {
      const point = toCanvas(viewport, center());
      change();
      const [before, now] = [toScreen(viewport, point), center()];
      set(panViewport(viewport, now.x - before.x, now.y - before.y));
    },
    /** @param {number} factor */
    zoomBy: (factor) => set(zoomViewport(viewport, factor, center())),
    /** @param {number} dx @param {number} dy */
    panBy: (dx, dy) => set(panViewport(viewport, dx, dy)),
    /** @param {Box[]} boxes which all become visible, in the middle @param {Box[]} outer the same with the slots beside them */
    fit(boxes, outer) {
      set((fitted = fitViewport(boxAround(boxes), size(), boxAround(outer))));
    },
    /** @returns {boolean} whether the view has not moved since all widgets were shown */
    isFitted: () => fitted !== null && viewport.x === fitted.x && viewport.y === fitted.y && viewport.zoom === fitted.zoom,
    /** @param {Box} box which becomes visible with as little panning as possible */
    reveal: (box) => set(revealBox(viewport, box, size())),
  };
}
