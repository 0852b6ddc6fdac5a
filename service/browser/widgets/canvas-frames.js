// @ts-check
// What a frame passes on to the canvas, because it has no use for it: a wheel, and F6.

import { TYPES } from './messages.js';

/**
 * A widget can't move the focus by itself: it must have it. A widget that is covered, as by a dialog, can't
 * move the canvas.
 * @param {HTMLIFrameElement} iframe
 * @param {any} message as parsed
 * @param {Pick<ReturnType<typeof import('./canvas-camera.js').createCamera>, 'zoom' | 'wheel'>} camera
 */
export function takeGesture(iframe, message, camera) {
  if (message.type === TYPES.wheel) {
    const { left, top } = iframe.getBoundingClientRect();
    const [clientX, clientY] = [left + message.x * camera.zoom, top + message.y * camera.zoom];
    // Whether the pointer is there can't be seen from here: `:hover` does not cross processes.
    if (document.elementFromPoint(clientX, clientY) === iframe) camera.wheel({ ...message, clientX, clientY });
  }
  if (message.type === TYPES.leave && document.activeElement === iframe) {
    const press = { key: 'F6', shiftKey: message.backwards, bubbles: true, cancelable: true };
    iframe.dispatchEvent(new KeyboardEvent('keydown', press));
  }
}
