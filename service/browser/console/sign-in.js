// The sign-in page. A token is tested with a request before the session begins.

import { createTransport } from '../shared/api-transport.js';
import { createBrand } from '../page/brand.js';
import { element } from '../shared/elements.js';
import { ApiError, errorText } from '../shared/errors.js';
import { storeIfPossible } from '../shared/site-data.js';
import { tidyToken } from '../shared/token-claims.js';

const RETURN_KEY = 'console.return';
const TOKEN = /^[\x21-\x7e]+$/; // no other character can be sent in a header, for example the “…” of a shortened token

/**
 * Returns the route that was shown before the user went to the identity provider, and forgets it.
 * @param {Storage} storage @returns {string} a hash
 */
export function takeReturn(storage) {
  const hash = storage.getItem(RETURN_KEY) ?? '';
  storage.removeItem(RETURN_KEY);
  return hash;
}

/**
 * @param {object} options
 * @param {import('../page/session.js').Session} options.session
 * @param {boolean} options.sandbox
 * @param {boolean} options.hasProvider whether users can sign in at an identity provider
 * @param {Storage} options.storage
 * @param {string} options.offered the token of a sign-in link, which signs in at once; '' for none
 */
export function createSignIn({ session, sandbox, hasProvider, storage, offered }) {
  const field = element('input', {
    id: 'token',
    class: 'field',
    type: 'password', // so that others who see the screen can't read it
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    'aria-describedby': 'token-help',
  });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const button = element('button', { class: hasProvider ? 'quiet' : 'primary', type: 'submit' }, hasProvider ? 'Use this token' : 'Sign in');
  const help = sandbox
    ? ['The terminal shows one when the server starts with ', element('code', {}, 'make run'), '.']
    : ['Your operator issues one with ', element('code', {}, 'flask token issue'), '.'];
  const form = element(
    'form',
    { class: 'sign-in-form', on: { submit } },
    element('label', { for: 'token' }, 'Sign-in token'),
    field,
    element('p', { class: 'hint', id: 'token-help' }, ...help),
    ...(hasProvider ? [] : [problem]),
    button,
  );
  const provider = element('button', { type: 'button', class: 'primary', on: { click: visitProvider } }, 'Sign in');
  // Called at one place only, because a node can't be in two places.
  const byProvider = () => [
    element('div', { class: 'sign-in-form' }, problem, provider),
    element('details', { class: 'sign-in-token' }, element('summary', {}, 'Sign in with a token'), form),
  ];
  const byToken = () => [form, element('p', { class: 'hint' }, 'The token is kept in this tab until you close it.')];
  const node = element(
    'main',
    { class: 'sign-in' },
    createBrand(sandbox),
    element('p', { class: 'welcome-line' }, 'Chat with an assistant that reads and changes your records.'),
    ...(hasProvider ? byProvider() : byToken()),
  );

  let isLeft = false;

  /** Goes to the identity provider. The provider returns to the address without the hash, so the route is stored first. */
  function visitProvider() {
    storeIfPossible(storage, RETURN_KEY, location.hash);
    location.assign('/console/sign-in');
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    const token = tidyToken(field.value);
    if (token) signIn(token);
  }

  /** @param {string} token */
  async function signIn(token) {
    button.disabled = true;
    problem.textContent = '';
    try {
      if (!TOKEN.test(token)) throw new ApiError(401, {});
      await createTransport({ token: () => token }).get('/api/credits', { limit: 1 });
      if (!isLeft) session.begin(token); // somebody else may have signed in meanwhile
    } catch (error) {
      problem.textContent = signInProblem(error);
      button.disabled = false;
      field.select();
    }
  }

  return {
    node,
    stop: () => void (isLeft = true),
    /** Shows the error after the page is in the document, because screen readers skip an alert that is there from the start. */
    ready() {
      problem.textContent = session.reason;
      if (offered) signIn(tidyToken(offered));
      else (hasProvider ? provider : field).focus();
    },
  };
}

/** @param {unknown} error */
function signInProblem(error) {
  const refused = error instanceof ApiError && error.status === 401;
  return refused ? 'This token is not valid or has expired. Use a new one.' : errorText(error);
}
