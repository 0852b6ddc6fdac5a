// The messages of a connection's card: a note, a problem, and a preview of the data that a test call has returned.

import { element } from '../shared/elements.js';
import { createConsentLink } from './consent-link.js';

/** @typedef {{title: string, lines: import('./previews.js').Line[]}} Preview */

export function createCardMessages() {
  const note = element('p', { class: 'note' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const preview = element('div', { class: 'preview', hidden: true });

  /** Shows a note in place of all other messages. @param {string} text @param {string} [url] of the consent page, if the browser has blocked its window */
  function showNote(text, url) {
    note.replaceChildren(...[text, url && createConsentLink(url)].filter(Boolean).flatMap((part) => [part, ' ']));
    problem.textContent = '';
    hidePreview();
  }

  function hidePreview() {
    preview.replaceChildren();
    preview.hidden = true;
  }

  return {
    node: element('div', { class: 'connection-messages' }, problem, note, preview),
    showNote,
    hidePreview,
    /** @param {string} text */
    showProblem(text) {
      showNote('');
      problem.textContent = text;
    },
    /** @param {Preview} data */
    showPreview({ title, lines }) {
      showNote('');
      const items = lines.map(({ text, about }) => element('li', {}, bdi(text), about && bdi(about, 'about')));
      const list = lines.length ? element('ul', {}, ...items) : element('p', { class: 'about' }, 'There are none.');
      preview.replaceChildren(element('p', { class: 'preview-title' }, title), list);
      preview.hidden = false;
    },
  };
}

/** A text whose writing direction is not known, isolated from the text around it. @param {string} text @param {string} [kind] */
function bdi(text, kind) {
  return element('bdi', { class: kind }, text);
}
