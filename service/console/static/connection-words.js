// What a card says: every failure together with what to do about it.

import { ApiError, inWords } from './errors.js';
import { UnsafeAddress, isRefreshFailure } from './oauth-answer.js';

/** @type {Record<import('./consent.js').Stage, string>} */
export const STAGES = {
  asking: 'Asking for the consent page…',
  waiting: 'Go on in the window that has opened.',
  blocked: 'Your browser has blocked the window.',
  unconfirmed: 'The window asks whether it is you. Confirm there.',
  closed: 'The window seems to be closed. Finish in it if it is still there, or connect again.',
};

/** @type {Record<import('./consent-wait.js').Ending, string>} */
export const ENDINGS = {
  granted: '',
  unticked: 'The account is connected, but this was left out. Connect again and leave it ticked.',
  refused: 'Nothing was granted; the window says why. Connect again when you like.',
  late: 'No consent has come in three minutes. Connect again.',
  stopped: '',
};

export const NEEDED = 'This needs your consent first. Press Connect.';
export const LACKING = 'The account does not accept this any more. Connect again.';

const REFRESH = 'The access can’t be renewed. Reconnect; other permissions are then asked for again, one by one.';

/** @type {Record<string, string>} by error code */
const HINTS = {
  upstream_provider_error: 'Try again in a minute.',
  upstream_timeout: 'Try again in a minute.',
  forbidden: 'Ask whoever manages the account.',
  unknown_endpoint: 'This server does not offer it; ask its operator.',
};

/** @param {unknown} error */
export function advice(error) {
  if (isRefreshFailure(error)) return REFRESH;
  if (error instanceof UnsafeAddress) return error.message;
  const hint = error instanceof ApiError ? HINTS[error.code] : '';
  return [inWords(error), hint].filter(Boolean).join(' ');
}
