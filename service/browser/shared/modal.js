// @ts-check
// Modal dialogs that keep the keyboard focus.
//
// The page behind a modal dialog ignores the user's keys and pointer. But the script of a frame can still take the
// focus, and would then receive what the user types; `inert` and `visibility` do not prevent this (Chromium 156). So
// the dialog takes the focus back each time. A frame that takes it again and again is hidden with `display: none`
// until the dialog is closed, because a hidden frame can't have the focus.

import { isFocusLost } from './elements.js';

const MOST = 2; // times that a frame may take the focus from one dialog before it is hidden

/** @type {{dialog: HTMLDialogElement, giveBack: (frame: HTMLIFrameElement) => void}[]} in the order of their opening */
let shown = [];

/** Call this instead of `dialog.showModal()`. @param {HTMLDialogElement} dialog in the document */
export function showModal(dialog) {
  const before = document.activeElement;
  dialog.showModal();
  if (shown.length === 0) addEventListener('blur', onBlur);
  shown.push({ dialog, giveBack: createFocusGuard(dialog) });
  dialog.addEventListener('close', forget, { once: true });
  dialog.addEventListener('close', () => returnFocus(before), { once: true });
}

/** Returns the focus to a frame. For other elements the browser does so itself. @param {Element | null} before the element that had the focus */
function returnFocus(before) {
  if (isFocusLost() && before instanceof HTMLIFrameElement) before.focus({ preventScroll: true });
}

/** Called when the focus leaves the page. Only in the next task is it known whether a frame has it, or another window. */
function onBlur() {
  setTimeout(() => {
    const frame = document.activeElement;
    shown = shown.filter(({ dialog }) => dialog.open && dialog.isConnected); // a dialog can be removed without being closed
    if (frame instanceof HTMLIFrameElement) shown.at(-1)?.giveBack(frame);
  });
}

/** @param {Event} event of a dialog that has been closed */
function forget({ target }) {
  shown = shown.filter(({ dialog }) => dialog !== target);
  if (shown.length === 0) removeEventListener('blur', onBlur);
}

/** @param {HTMLDialogElement} dialog just opened @returns {(frame: HTMLIFrameElement) => void} */
function createFocusGuard(dialog) {
  /** @type {Map<HTMLIFrameElement, number>} */
  const thefts = new Map();
  let last = /** @type {HTMLElement | null} */ (document.activeElement);
  const note = (/** @type {FocusEvent} */ { target }) => void (last = /** @type {HTMLElement} */ (target));
  dialog.addEventListener('focusin', note);
  dialog.addEventListener('close', () => {
    dialog.removeEventListener('focusin', note); // the dialog may be shown again
    thefts.forEach((_, frame) => (frame.style.display = ''));
  }, { once: true });

  return (frame) => {
    const count = (thefts.get(frame) ?? 0) + 1;
    thefts.set(frame, count);
    if (count > MOST) frame.style.display = 'none';
    takeFocus(frame, last && dialog.contains(last) ? last : dialog);
  };
}

/** Moves the focus out of a frame. If the frame runs in another process, all these steps are needed. @param {HTMLIFrameElement} frame @param {HTMLElement} target */
export function takeFocus(frame, target) {
  if (document.hasFocus()) window.focus();
  frame.blur();
  target.focus({ preventScroll: true });
}
