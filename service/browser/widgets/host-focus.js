// @ts-check
// Protects the focus of the page's own fields against frames. For dialogs, shared/modal.js does this.
//
// The script of a frame can take the focus from a field in which the user is typing, and would get the next keys. The
// page gets no event for a click in a frame, so it recognizes a theft only by its time: the user's last action was a key
// or a press in that field a moment ago. A frame that takes the focus later looks as if it was clicked, and keeps it.

import { takeFocus } from '../shared/modal.js';

const MOMENT = 700; // ms in which no user can move from a key to a click in a frame without moving the pointer first
const MOST = 3; // thefts within SPAN after which the frame is stopped
const SPAN = 10_000; // ms
const TYPES = ['text', 'search', 'email', 'url', 'tel', 'password', 'number'];
const FIELDS = ['textarea', '[contenteditable]', 'input:not([type])', ...TYPES.map((type) => `input[type=${type}]`)].join(', ');
const LEAVING = ['Tab', 'F6', 'Enter', 'Escape']; // keys with which a user may leave a field
const INPUTS = ['keydown', 'pointerdown', 'pointermove', 'wheel'];

/**
 * @template {object} Widget
 * @param {(frame: HTMLIFrameElement) => Widget | undefined} ownerOf
 * @param {(widget: Widget) => void} onThief called when a widget has taken the focus several times
 * @returns {() => void} removes the listeners
 */
export function keepKeyboard(ownerOf, onThief) {
  /** @type {WeakMap<Widget, number[]>} the times at which a widget took the focus */
  const thefts = new WeakMap();
  /** @type {{field: Element | null, time: number}} the field of the user's last input */
  let last = { field: null, time: 0 };
  /** @type {Element | null} the element that has just lost the focus, but not to another part of the page */
  let left = null;

  /** @param {Event} event */
  function note(event) {
    const field = /** @type {Element} */ (event.target).closest?.(FIELDS) ?? null;
    const leaves = event instanceof KeyboardEvent && LEAVING.includes(event.key);
    if (event.type === 'pointermove' && field) return; // the pointer is still over a field
    last = { field: leaves ? null : field, time: event.timeStamp };
  }

  /** @param {FocusEvent} event */
  function leave({ target, relatedTarget }) {
    left = relatedTarget ? null : /** @type {Element} */ (target);
  }

  function onBlur() {
    const [field, frame] = [left, document.activeElement];
    left = null;
    const widget = frame instanceof HTMLIFrameElement && ownerOf(frame);
    if (widget && isWriting(field)) setTimeout(() => giveBack(frame, /** @type {HTMLElement} */ (field), widget));
  }

  /** @param {Element | null} field */
  function isWriting(field) {
    return field !== null && field === last.field && performance.now() - last.time < MOMENT && !document.querySelector('dialog:modal');
  }

  /** @param {HTMLIFrameElement} frame @param {HTMLElement} field @param {Widget} widget */
  function giveBack(frame, field, widget) {
    if (document.activeElement !== frame || !field.isConnected) return;
    const now = performance.now();
    const recent = [...(thefts.get(widget) ?? []), now].filter((time) => now - time < SPAN);
    thefts.set(widget, recent);
    takeFocus(frame, field);
    if (recent.length >= MOST) onThief(widget);
  }

  for (const type of INPUTS) addEventListener(type, note, { capture: true, passive: true });
  addEventListener('focusout', leave, true);
  addEventListener('blur', onBlur);
  return () => {
    for (const type of INPUTS) removeEventListener(type, note, true);
    removeEventListener('focusout', leave, true);
    removeEventListener('blur', onBlur);
  };
}
