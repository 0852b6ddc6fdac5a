// Asks the user to confirm an action. Cancel has the focus at first.

import { element } from '../shared/elements.js';
import { showModal } from '../shared/modal.js';

/** @typedef {{title: string, text: string, action: string, kind?: string}} Question `kind` is the CSS class of the action's button, by default 'danger' */

/**
 * @param {Question} question
 * @returns {Promise<boolean>}
 */
export function requestConfirmation(question) {
  return new Promise((resolve) => {
    const dialog = buildDialog(question);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    showModal(dialog);
  });
}

/** @param {Question} question @returns {HTMLDialogElement} */
function buildDialog({ title, text, action, kind = 'danger' }) {
  const cancel = dialogButton('quiet', 'Cancel', () => dialog.close('no'));
  const confirm = dialogButton(kind, action, () => dialog.close('yes'));
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' },
    element('h2', { id: 'dialog-title' }, title),
    element('p', { id: 'dialog-text' }, text),
    element('div', { class: 'dialog-actions' }, cancel, confirm),
  );
  return dialog;
}

/** @param {string} kind @param {string} label @param {() => void} act */
function dialogButton(kind, label, act) {
  return element('button', { type: 'button', class: kind, on: { click: act } }, label);
}
