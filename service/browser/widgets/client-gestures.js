// Passes events from a widget's frame on to the canvas around it: wheel events that the widget does not use, and F6.
//
// A frame gets every wheel and key event over it. Without this module, panning would stop at the first widget, Ctrl
// with the wheel would zoom the whole page, and F6 would not leave the widget.

import { TYPES } from './messages.js';

const PAUSE = 250; // ms between two gestures of a wheel
const LINE = 16; // pixels for one line, if the wheel counts in lines

/**
 * @param {Window} page
 * @param {(message: Record<string, any>) => void} send
 * @returns {() => void} removes the listeners
 */
export function passGesturesOn(page, send) {
  let last = -Infinity;
  let isOurs = false; // whether the gesture has begun as a scroll in this frame: then it does not pan the canvas

  /** @param {WheelEvent} event */
  function turn(event) {
    if (event.defaultPrevented) return;
    const zooms = event.ctrlKey || event.metaKey;
    if (event.timeStamp - last > PAUSE) isOurs = canScroll(event);
    last = event.timeStamp;
    if (isOurs && !zooms) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    send({ type: TYPES.wheel, dx, dy, zooms, x: event.clientX, y: event.clientY });
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== 'F6' || event.altKey || event.metaKey || event.defaultPrevented) return;
    event.preventDefault();
    send({ type: TYPES.leave, backwards: event.shiftKey });
  }

  page.addEventListener('wheel', turn, { passive: false });
  page.addEventListener('keydown', press);
  return () => {
    page.removeEventListener('wheel', turn);
    page.removeEventListener('keydown', press);
  };
}

/** @param {WheelEvent} event @returns {boolean} whether an element under the pointer can scroll in this direction */
function canScroll({ target, deltaX, deltaY }) {
  for (let node = /** @type {Element | null} */ (target); node; node = node.parentElement) {
    if (deltaY && scrolls(node, 'overflowY', deltaY, node.scrollTop, node.scrollHeight - node.clientHeight)) return true;
    if (deltaX && scrolls(node, 'overflowX', deltaX, node.scrollLeft, node.scrollWidth - node.clientWidth)) return true;
  }
  return false;
}

/** @param {Element} node @param {'overflowX' | 'overflowY'} axis @param {number} delta @param {number} now @param {number} most */
function scrolls(node, axis, delta, now, most) {
  const overflow = getComputedStyle(node)[axis];
  const mayScroll = node === document.scrollingElement ? overflow !== 'hidden' : overflow === 'auto' || overflow === 'scroll';
  const isLeftwards = axis === 'overflowX' && getComputedStyle(node).direction === 'rtl'; // its scroll position goes from 0 down to -most
  const place = isLeftwards ? now + most : now;
  return mayScroll && (delta < 0 ? Math.floor(place) > 0 : Math.ceil(place) < most);
}
