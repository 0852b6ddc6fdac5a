// @ts-check
// The keyboard of the page's own fields, outside of dialogs (of these: shared/modal.js).
//
// The script of a frame can take the focus from a field in which the user is writing, and would get the rest. The page
// hears of no click in a frame, so it knows a theft by this alone: the last thing that the user did was a key or a
// press in that field, a moment ago. A frame that takes the focus later looks as if it was clicked, and keeps it.

import { takeFocus } from '../shared/modal.js';

const MOMENT = 700; // ms in which nobody's hand goes from a key to a frame without moving the pointer on the way
const MOST = 3; // thefts within SPAN until the frame is stopped
const SPAN = 10_000; // ms
const TYPES = ['text', 'search', 'email', 'url', 'tel', 'password', 'number'];
const FIELDS = ['textarea', '[contenteditable]', 'input:not([type])', ...TYPES.map((type) => `input[type=${type}]`)].join(', ');
const LEAVING = ['Tab', 'F6', 'Enter', 'Escape']; // keys that may be meant to leave a field
const INPUTS = ['keydown', 'pointerdown', 'pointermove', 'wheel'];

/**
 * @template {object} Widget
 * @param {(frame: HTMLIFrameElement) => Widget | undefined} ownerOf
 * @param {(widget: Widget) => void} onThief it has taken the focus several times
 * @returns {() => void} ends it
 */
export function keepKeyboard(ownerOf, onThief) {
  /** @type {WeakMap<Widget, number[]>} when a widget has taken the focus */
  const thefts = new WeakMap();
  /** @type {{field: Element | null, time: number}} where the user wrote or pressed last */
  let last = { field: null, time: 0 };
  /** @type {Element | null} what has just lost the focus, and not to another part of the page */
  let left = null;

  /** @param {Event} event */
  function note(event) {
    const field = /** @type {Element} */ (event.target).closest?.(FIELDS) ?? null;
    const leaves = event instanceof KeyboardEvent && LEAVING.includes(event.key);
    if (event.type === 'pointermove' && field) return; // it has not left the fields
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
