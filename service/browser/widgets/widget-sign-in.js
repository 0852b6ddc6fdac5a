// @ts-check
// Asks the user for a token when the first call needs one. The token is kept in memory only, so a reload asks again.

import { element } from '../shared/elements.js';

/** @param {HTMLElement} page the question is put below its title, before its content */
export function createSignIn(page) {
  /** @type {Promise<string> | null} */
  let given = null;

  /** @returns {Promise<string>} */
  function ask() {
    return new Promise((resolve) => {
      const field = element('input', { class: 'field', type: 'password', id: 'token', autocomplete: 'off', required: true });
      const box = element(
        'form',
        { class: 'widget-sign-in', on: { submit } },
        element('label', { for: 'token' }, 'Sign-in token'),
        element('div', { class: 'widget-line' }, field, element('button', { type: 'submit', class: 'primary' }, 'Sign in')),
      );
      const title = page.querySelector('h1');
      if (title) title.after(box);
      else page.prepend(box);
      field.focus();

      /** @param {Event} event */
      function submit(event) {
        event.preventDefault();
        box.remove();
        resolve(field.value.trim());
      }
    });
  }

  return {
    token: () => (given ??= ask()),
    forget: () => (given = null),
  };
}
