// @ts-check
// The text of an error for the user of a widget: what has happened, and one thing that the user can do.

/**
 * @typedef {'retry' | 'connect' | 'reconnect' | 'sign-in' | null} Remedy the action of the button beside the text
 * @typedef {{text: string, remedy: Remedy, label: string}} Advice
 */

const ACCOUNT = '{account}';

/** @type {Record<string, [string, Remedy, string]>} by error code; the first text is '' if the message of the error is shown */
const ADVICE = {
  approval_denied: ['You have not allowed this call. Nothing was sent.', 'retry', 'Ask again'],
  oauth_required: ['This needs access to {account}.', 'connect', 'Connect'],
  reconnect_required: ['Access to {account} can’t be renewed.', 'reconnect', 'Reconnect'],
  insufficient_credits: ['There are not enough credits. Ask the operator for more.', 'retry', 'Try again'],
  not_configured: ['The operator has not set this up. Ask them to.', null, ''],
  unknown_endpoint: ['', null, ''], // the message says which endpoint does not exist
  not_found: ['', null, ''],
  invalid_request: ['', null, ''],
  slot_error: ['', null, ''],
  no_host: ['', null, ''],
  unauthorized: ['You are signed out.', 'sign-in', 'Sign in'],
  forbidden: ['', null, ''], // because of a role, a token, a manifest or a vendor: the message says which
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
  if (!error?.code) console.error(error); // an error in the code of the widget, for its developers
  const [text, remedy, label] = known ?? [messageOf(error), 'retry', 'Try again'];
  const sentence = text.replace(ACCOUNT, accountOf(error)) || messageOf(error);
  return { text: [sentence, fieldsOf(error), waitOf(error)].filter(Boolean).join(' '), remedy, label };
}

/** The text if a standalone widget can't reconnect an account. @param {any} error a `ReconnectRequiredError` */
export function reconnectText(error) {
  return `Reconnect ${accountOf(error)} under Connections in the console, then try again.`;
}

/** Whether the outcome of a call with an idempotency key is not known. @param {any} error */
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

/** The reasons for a refused body, by parameter. @param {any} error */
function fieldsOf(error) {
  const reasons = Object.entries(error?.code === 'invalid_request' ? error.fields ?? {} : {});
  return reasons.map(([name, texts]) => `${name}: ${[texts].flat().map(String).join(' ')}`).join(' ');
}

/** @param {any} error */
function waitOf(error) {
  return error?.retryAfterMs > 0 ? `Wait ${Math.ceil(error.retryAfterMs / 1000)} s.` : '';
}

/** The text after a request for consent in which access was not given. @param {'connected' | 'timeout' | 'cancelled'} status */
export function endingText(status) {
  return ENDINGS[status];
}
