// The sign-in page. The token is tested with a request before the session begins.

import { createTransport } from '../shared/api-transport.js';
import { createBrand } from './brand.js';
import { element } from '../shared/elements.js';
import { ApiError, errorText } from '../shared/errors.js';
import { tidyToken } from './session.js';

/**
 * @param {object} options
 * @param {import('./session.js').Session} options.session
 * @param {boolean} options.sandbox
 */
export function createSignIn({ session, sandbox }) {
  const field = element('input', {
    id: 'token',
    class: 'field',
    type: 'password', // not readable by others who see the screen
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'token-help',
  });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const button = element('button', { class: 'primary', type: 'submit' }, 'Sign in');
  const help = sandbox
    ? ['The terminal shows one when the server starts with ', element('code', {}, 'make run'), '.']
    : ['Your operator issues one with ', element('code', {}, 'flask token issue'), '.'];
  const form = element(
    'form',
    { class: 'sign-in-form', on: { submit } },
    element('label', { for: 'token' }, 'Sign-in token'),
    field,
    element('p', { class: 'hint', id: 'token-help' }, ...help),
    problem,
    button,
  );
  const node = element(
    'main',
    { class: 'sign-in' },
    createBrand(sandbox),
    element('p', { class: 'welcome-line' }, 'Chat with an assistant that reads and changes your records.'),
    form,
    element('p', { class: 'hint' }, 'The token is kept in this tab until you close it.'),
  );

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    const token = tidyToken(field.value);
    if (!token) return;
    button.disabled = true;
    problem.textContent = '';
    try {
      await createTransport({ token: () => token, onUnauthorized: () => {} }).get('/api/credits', { limit: 1 });
      session.begin(token);
    } catch (error) {
      problem.textContent = signInProblem(error);
      button.disabled = false;
      field.select();
    }
  }

  return {
    node,
    stop() {},
    /** Shown after the page is in place: screen readers skip an alert that exists from the start. */
    ready() {
      problem.textContent = session.reason;
      field.focus();
    },
  };
}

/** @param {unknown} error */
function signInProblem(error) {
  const refused = error instanceof ApiError && error.status === 401;
  return refused ? 'This token is not valid or has expired. Paste a new one.' : errorText(error);
}
