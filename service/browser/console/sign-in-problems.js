// The errors that the server puts into the page's address when a sign-in at the identity provider fails.

/** @type {Record<string, string>} */
const SIGN_IN_PROBLEMS = {
  denied: 'The sign-in was cancelled.',
  lost: 'The sign-in took too long, or was begun in another window. Try again.',
  refused: 'The identity provider did not complete the sign-in. Try again.',
  away: 'The identity provider can’t be reached right now. Try again in a minute.',
  unavailable: 'The server can’t complete a sign-in right now. Try again in a minute.',
  'not-accepted':
    'You are signed in at the identity provider, but this server does not accept its tokens. ' +
    'Its operator has to check AUTH_JWKS_URL, AUTH_ISSUER and AUTH_AUDIENCE.',
  'too-large':
    'You are signed in at the identity provider, but its token is too large for this server. ' +
    'Its operator has to leave claims out of the token, such as groups or roles.',
  'not-admitted': 'This user may not sign in here. Ask the operator.',
};

/** Reads the error and removes it from the address. @returns {string} a sentence; '' if there is no error */
export function takeSignInProblem() {
  const query = new URLSearchParams(location.search);
  const problem = query.get('sign-in');
  if (problem === null) return '';
  history.replaceState(null, '', location.pathname + location.hash);
  return SIGN_IN_PROBLEMS[problem] ?? SIGN_IN_PROBLEMS.refused;
}
