// @ts-check
// Asks the user for a token when the first call needs one. The token is kept in memory only, so a reload asks again. If
// another user signs in, the page is reloaded, because it shows what the user before has loaded or begun.

import { element } from '../shared/elements.js';
import { storageOf, storeIfPossible } from '../shared/site-data.js';
import { subjectOf } from '../shared/token-claims.js';

const KEY = 'widget-sign-in';
const AGAIN = 'The page was loaded again, so that it shows nothing of the user before. Enter your token once more.';

/** @param {HTMLElement} page the question is put below its title, before its content */
export function createSignIn(page) {
  const storage = storageOf(() => sessionStorage);
  const isReloaded = storage.getItem(KEY) !== null;
  let user = ''; // '' until the first sign-in
  /** @type {Promise<string> | null} */
  let given = null;
  if (isReloaded) {
    storage.removeItem(KEY);
    queueMicrotask(() => (given ??= ask(AGAIN))); // after the page has its title
  }

  /** @param {string} [reason] @returns {Promise<string>} */
  function ask(reason) {
    return new Promise((resolve) => {
      const field = element('input', { class: 'field', type: 'password', id: 'token', autocomplete: 'off', required: true });
      const box = element(
        'form',
        { class: 'widget-sign-in', on: { submit } },
        reason && element('p', {}, reason),
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
        const token = field.value.trim();
        const next = subjectOf(token);
        if (user && next && next !== user) return reload();
        user ||= next;
        box.remove();
        resolve(token);
      }
    });
  }

  function reload() {
    storeIfPossible(storage, KEY, 'yes');
    location.reload();
  }

  return {
    token: () => (given ??= ask()),
    forget: () => (given = null),
  };
}
