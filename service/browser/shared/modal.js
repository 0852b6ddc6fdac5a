// @ts-check
// Modal dialogs that keep the keyboard.
//
// What is behind a dialog is inert for the user's keys and pointer. The script of a frame can take the focus all the
// same, and would get what is typed; `inert` and `visibility` do not stop it (Chromium 156). So the focus is given
// back each time. A frame that takes it on and on is not drawn until the dialog is closed: then it can't have it.

import { isFocusLost } from './elements.js';

const MOST = 2; // times that a frame takes the focus from one dialog, and is still drawn

/** @type {{dialog: HTMLDialogElement, giveBack: (frame: HTMLIFrameElement) => void}[]} in the order of their opening */
let shown = [];

/** In the place of `dialog.showModal()`. @param {HTMLDialogElement} dialog in the document */
export function showModal(dialog) {
  const before = document.activeElement;
  dialog.showModal();
  if (shown.length === 0) addEventListener('blur', onBlur);
  shown.push({ dialog, giveBack: createKeeper(dialog) });
  dialog.addEventListener('close', forget, { once: true });
  dialog.addEventListener('close', () => comeBack(before), { once: true });
}

/** The browser itself gives the focus back, but not to a frame. @param {Element | null} before what had it */
function comeBack(before) {
  if (isFocusLost() && before instanceof HTMLIFrameElement) before.focus({ preventScroll: true });
}

/** The focus has left the page: to a frame, or to another window. The page learns where to in the next task. */
function onBlur() {
  setTimeout(() => {
    const frame = document.activeElement;
    shown = shown.filter(({ dialog }) => dialog.open && dialog.isConnected); // some are removed and never closed
    if (frame instanceof HTMLIFrameElement) shown.at(-1)?.giveBack(frame);
  });
}

/** @param {Event} event of a dialog that has been closed */
function forget({ target }) {
  shown = shown.filter(({ dialog }) => dialog !== target);
  if (shown.length === 0) removeEventListener('blur', onBlur);
}

/** @param {HTMLDialogElement} dialog just opened @returns {(frame: HTMLIFrameElement) => void} */
function createKeeper(dialog) {
  /** @type {Map<HTMLIFrameElement, number>} */
  const thefts = new Map();
  let last = /** @type {HTMLElement | null} */ (document.activeElement);
  dialog.addEventListener('focusin', ({ target }) => (last = /** @type {HTMLElement} */ (target)));
  dialog.addEventListener('close', () => thefts.forEach((_, frame) => (frame.style.display = '')), { once: true });

  return (frame) => {
    const count = (thefts.get(frame) ?? 0) + 1;
    thefts.set(frame, count);
    if (count > MOST) frame.style.display = 'none';
    takeFocus(frame, last && dialog.contains(last) ? last : dialog);
  };
}

/** The focus of a frame in another process moves only in these steps. @param {HTMLIFrameElement} frame @param {HTMLElement} target */
export function takeFocus(frame, target) {
  if (document.hasFocus()) window.focus();
  frame.blur();
  target.focus({ preventScroll: true });
}
