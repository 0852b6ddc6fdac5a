// @ts-check
// Handles the events that a frame passes on to the canvas because it does not use them: the wheel and F6.

import { TYPES } from './messages.js';

const REST = 300; // ms after a press or a key in the page in which no frame can move the canvas
const MOST = 400; // pixels in one message
const MOST_ZOOM = 200; // pixels in one message that zooms; more would make the view jump
const MODIFIERS = ['Control', 'Meta', 'Shift', 'Alt']; // keys that the user holds while turning the wheel

/** @typedef {Pick<ReturnType<typeof import('./canvas-camera.js').createCamera>, 'zoom' | 'wheel'>} Camera */

/**
 * A message has an effect only under conditions, because a widget can send it at any time. A widget can only pass on F6
 * while it has the focus, and can't move the canvas while it is covered, for example by a dialog. The host can't check
 * whether the user turns the wheel, so one message moves the canvas only a little.
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
  // The position of the pointer can't be checked: `:hover` does not work across processes.
  if (document.elementFromPoint(clientX, clientY) !== iframe) return;
  camera.wheel({ dx: limited(dx), dy: limited(dy), zooms, clientX, clientY });
}
