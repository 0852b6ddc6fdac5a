// @ts-check
// What a widget tells its user about an error: what happened, and one thing to do about it.

/**
 * @typedef {'retry' | 'connect' | 'reconnect' | 'sign-in' | null} Remedy what the button beside the text does
 * @typedef {{text: string, remedy: Remedy, label: string}} Advice
 */

const ACCOUNT = '{account}';

/** @type {Record<string, [string, Remedy, string]>} text, or '' for the error's own; by error code */
const ADVICE = {
  approval_denied: ['You have not allowed this call. Nothing was sent.', 'retry', 'Ask again'],
  oauth_required: ['This needs access to {account}.', 'connect', 'Connect'],
  reconnect_required: ['Access to {account} can’t be renewed.', 'reconnect', 'Reconnect'],
  insufficient_credits: ['There are not enough credits. Ask the operator for more.', 'retry', 'Try again'],
  not_configured: ['The operator has not set this up. Ask them to.', null, ''],
  unknown_endpoint: ['', null, ''], // of a widget that asks for what there is not: the message says what
  not_found: ['', null, ''],
  invalid_request: ['', null, ''],
  slot_error: ['', null, ''],
  no_host: ['', null, ''],
  unauthorized: ['You are signed out.', 'sign-in', 'Sign in'],
  forbidden: ['', null, ''], // of a role, a token, a manifest or a vendor: the message says which
  too_large: ['', null, ''],
  timeout: ['There was no answer in time.', 'retry', 'Try again'],
  network: ['The server can’t be reached. Check the connection.', 'retry', 'Try again'],
};

/** @type {[string, Remedy, string]} */
const UNKNOWN = ['Nobody knows whether this was done. Look where it would show, before you do it again.', null, ''];

const ENDINGS = {
  timeout: 'Consent was not given in time.',
  cancelled: 'Consent was not given.',
  connected: '',
};

/** @param {any} error @returns {Advice} */
export function adviceFor(error) {
  const known = isUnknown(error) ? UNKNOWN : Object.hasOwn(ADVICE, error?.code ?? '') ? ADVICE[error.code] : null;
  if (!error?.code) console.error(error); // an error of the widget itself, for its developers
  const [text, remedy, label] = known ?? [messageOf(error), 'retry', 'Try again'];
  const sentence = text.replace(ACCOUNT, accountOf(error)) || messageOf(error);
  return { text: [sentence, fieldsOf(error), waitOf(error)].filter(Boolean).join(' '), remedy, label };
}

/** Where a widget by itself can't connect an account anew. @param {any} error a `ReconnectRequiredError` */
export function reconnectText(error) {
  return `Reconnect ${accountOf(error)} under Connections in the console, then try again.`;
}

/** Whether a call with a key was sent before, and has no known end. @param {any} error */
function isUnknown(error) {
  return error?.code === 'conflict' && error.facts?.outcome === 'unknown';
}

/** @param {any} error */
function accountOf(error) {
  return error?.provider ? `your ${error.provider} account` : 'your account';
}

/** @param {any} error */
function messageOf(error) {
  return error?.code ? String(error.message) : 'Something went wrong in this widget.';
}

/** The reasons of a refused body, by parameter. @param {any} error */
function fieldsOf(error) {
  const reasons = Object.entries(error?.code === 'invalid_request' ? error.fields ?? {} : {});
  return reasons.map(([name, texts]) => `${name}: ${[texts].flat().map(String).join(' ')}`).join(' ');
}

/** @param {any} error */
function waitOf(error) {
  return error?.retryAfterMs > 0 ? `Wait ${Math.ceil(error.retryAfterMs / 1000)} s.` : '';
}

/** How asking for consent has ended, where access was not given. @param {'connected' | 'timeout' | 'cancelled'} status */
export function endingText(status) {
  return ENDINGS[status];
}
