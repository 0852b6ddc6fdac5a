// @ts-check
// Dragging with a pointer: a mouse, a finger or a pen. A drag ends with one call of `end`, `press` or `cancel`.

/**
 * @typedef {object} Drag
 * @property {(dx: number, dy: number, event: PointerEvent) => void} move called with the distance since the beginning, in CSS pixels
 * @property {(dx: number, dy: number, event: PointerEvent) => void} end
 * @property {() => void} cancel
 * @property {(event: PointerEvent) => void} [press] called instead of `end` if the distance was so short that it is a click
 */

const STILL = 4; // pixels; a shorter distance is a click

/**
 * Lets `node` be dragged with the first button or the first finger.
 * @param {HTMLElement} node
 * @param {HTMLElement} canvas gets the class `dragging`, which keeps frames from taking the pointer
 * @param {(event: PointerEvent) => Drag | null | false} begin returns null or false if nothing is to be dragged
 */
export function draggable(node, canvas, begin) {
  node.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const drag = begin(event);
    if (drag) follow(node, canvas, event, drag);
  });
}

/** @param {HTMLElement} node @param {HTMLElement} canvas @param {PointerEvent} start @param {Drag} drag */
function follow(node, canvas, start, drag) {
  const stop = new AbortController();
  const options = { signal: stop.signal };
  let moved = false;
  const way = (/** @type {PointerEvent} */ event) =>
    /** @type {[number, number, PointerEvent]} */ ([event.clientX - start.clientX, event.clientY - start.clientY, event]);
  const finish = (/** @type {() => void} */ last) => {
    stop.abort();
    canvas.classList.remove('dragging');
    if (moved) last();
  };
  node.setPointerCapture(start.pointerId);
  node.addEventListener('pointermove', (event) => {
    if (event.pointerId !== start.pointerId) return;
    const [dx, dy] = way(event);
    if (!moved && Math.hypot(dx, dy) < STILL) return;
    moved = true;
    canvas.classList.add('dragging');
    drag.move(dx, dy, event);
  }, options);
  node.addEventListener('pointerup', (event) => {
    if (event.pointerId !== start.pointerId) return;
    finish(() => drag.end(...way(event)));
    if (!moved) drag.press?.(event);
  }, options);
  node.addEventListener('pointercancel', () => finish(drag.cancel), options);
  // Another tab may remove the widget meanwhile. Its node then gets no pointer events, but the document gets this one.
  document.addEventListener('lostpointercapture', () => node.isConnected || finish(drag.cancel), options);
  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch' && !event.isPrimary) finish(drag.cancel); // two fingers zoom
  }, options);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') finish(drag.cancel);
  }, options);
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * @param {KeyboardEvent} event
 * @returns {[number, number] | null} the step of an arrow key in canvas pixels: 16, with Shift 64
 */
export function arrowStep(event) {
  const arrow = /** @type {Record<string, number[]>} */ (ARROWS)[event.key];
  if (!arrow || event.altKey || event.ctrlKey || event.metaKey) return null;
  const step = event.shiftKey ? 64 : 16;
  return [arrow[0] * step, arrow[1] * step];
}
