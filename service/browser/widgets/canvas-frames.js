// @ts-check
// What a frame passes on to the canvas, because it has no use for it: a wheel, and F6.

import { TYPES } from './messages.js';

const REST = 300; // ms after a press or a key in the page, in which no frame moves the canvas under the pointer
const MOST = 400; // pixels of one message
const MOST_ZOOM = 200; // the same of one that zooms: more would jump
const MODIFIERS = ['Control', 'Meta', 'Shift', 'Alt']; // held for a wheel

/** @typedef {Pick<ReturnType<typeof import('./canvas-camera.js').createCamera>, 'zoom' | 'wheel'>} Camera */

/**
 * A widget can't move the focus by itself: it must have it. A widget that is covered, as by a dialog, can't
 * move the canvas. Whether somebody turns a wheel can't be seen from here, so a message moves it a little only.
 * @param {HTMLElement} node of the canvas @param {Camera} camera
 * @returns {(iframe: HTMLIFrameElement, message: any) => void} takes a parsed message
 */
export function createGestures(node, camera) {
  let pressed = -Infinity;
  const note = (/** @type {Event} */ event) => {
    if (!(event instanceof KeyboardEvent) || !MODIFIERS.includes(event.key)) pressed = performance.now();
  };
  for (const type of ['pointerdown', 'keydown']) node.addEventListener(type, note, true);

  return (iframe, message) => {
    if (message.type === TYPES.wheel && performance.now() - pressed >= REST) turn(iframe, message, camera);
    if (message.type === TYPES.leave && document.activeElement === iframe) {
      const press = { key: 'F6', shiftKey: message.backwards, bubbles: true, cancelable: true };
      iframe.dispatchEvent(new KeyboardEvent('keydown', press));
    }
  };
}

/** @param {HTMLIFrameElement} iframe @param {any} message @param {Camera} camera */
function turn(iframe, { dx, dy, zooms, x, y }, camera) {
  const { left, top } = iframe.getBoundingClientRect();
  const [clientX, clientY] = [left + x * camera.zoom, top + y * camera.zoom];
  const most = zooms ? MOST_ZOOM : MOST;
  const limited = (/** @type {number} */ way) => Math.max(-most, Math.min(most, way));
  // Whether the pointer is there can't be seen from here: `:hover` does not cross processes.
  if (document.elementFromPoint(clientX, clientY) !== iframe) return;
  camera.wheel({ dx: limited(dx), dy: limited(dy), zooms, clientX, clientY });
}
