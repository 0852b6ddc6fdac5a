// A button that copies a text and shows a confirmation for a moment.

import { element, icon, iconButton } from '../shared/elements.js';

const SHOWN = 1500; // ms
const REFUSED = 'This browser does not allow copying here. Select the text instead.';

/**
 * @param {'copy' | 'markdown'} drawing @param {string} label
 * @param {() => string} text @param {(sentence: string) => void} announce
 */
export function createCopyButton(drawing, label, text, announce) {
  const button = iconButton(drawing, label, copy);
  /** @type {any} */
  let timer = 0;

  async function copy() {
    const done = await write(text());
    button.focus(); // the fallback for copying takes the focus
    announce(done ? 'Copied' : REFUSED);
    button.title = done ? 'Copied' : REFUSED;
    button.replaceChildren(icon(done ? 'check' : 'cross'));
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.replaceChildren(icon(drawing));
      button.title = label;
    }, SHOWN);
  }

  return button;
}

/** @param {string} text @returns {Promise<boolean>} whether the text was copied */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeSelected(text); // the clipboard API is missing on pages loaded over plain HTTP
  }
}

/** @param {string} text */
function writeSelected(text) {
  const box = element('textarea', { class: 'visually-hidden', value: text });
  document.body.append(box);
  box.select();
  const done = document.execCommand('copy');
  box.remove();
  return done;
}
