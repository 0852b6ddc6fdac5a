// A question before something is gone for good. The safe answer has the focus.

import { element } from './elements.js';

/**
 * @param {{title: string, text: string, action: string}} words
 * @returns {Promise<boolean>}
 */
export function confirmed(words) {
  return new Promise((resolve) => {
    const dialog = build(words);
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** @param {{title: string, text: string, action: string}} words @returns {HTMLDialogElement} */
function build({ title, text, action }) {
  const cancel = answer('quiet', 'Cancel', () => dialog.close('no'));
  const go = answer('danger', action, () => dialog.close('yes'));
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' },
    element('h2', { id: 'dialog-title' }, title),
    element('p', { id: 'dialog-text' }, text),
    element('div', { class: 'dialog-actions' }, cancel, go),
  );
  return dialog;
}

/** @param {string} kind @param {string} label @param {() => void} act */
function answer(kind, label, act) {
  return element('button', { type: 'button', class: kind, on: { click: act } }, label);
}
