// The texts of the connection cards. Each text about a failure has advice.

import { ApiError, errorText } from '../shared/errors.js';
import { UnsafeAddress, isRefreshFailure } from '../shared/oauth-answer.js';
import { moment } from '../shared/time-format.js';

/** @type {Record<import('../shared/consent.js').Stage, string>} */
export const STAGES = {
  requesting: 'Opening the consent page…',
  waiting: 'Continue in the window that opened.',
  blocked: 'Your browser blocked the window.',
  unconfirmed: 'Confirm the connection in the other window.',
  closed: 'The window seems to be closed. If it is still open, finish there. If not, connect again.',
};

/** @type {Record<import('../shared/consent-wait.js').Ending, string>} */
export const ENDINGS = {
  granted: '',
  unticked: 'The account is connected, but without this permission. Connect again and leave it selected.',
  refused: 'Nothing was granted; the window says why. You can connect again at any time.',
  late: 'Consent was not given within three minutes. Connect again.',
  stopped: '',
};

export const NO_LONGER_ALLOWED = 'The account no longer allows this. Connect again.';

const REFRESH = 'Access can’t be renewed. Reconnect. The other permissions then need your consent again, one by one.';

/** @type {Record<string, string>} by error code */
const HINTS = {
  upstream_provider_error: 'Try again in a minute.',
  upstream_timeout: 'Try again in a minute.',
  forbidden: 'Ask the administrator of the account.',
  unknown_endpoint: 'This server does not offer it. Ask its operator.',
};

/** @type {Record<string, string>} why the access could not be renewed, by code */
const FAILURES = {
  refused: 'The provider refused to renew it.',
  unreachable: 'The provider could not be reached.',
  unreadable: 'The provider’s answer could not be read.',
  'no-refresh-token': 'The provider gave nothing to renew it with.',
};

/** @param {{state: string, failingSince: string, failure: string} | undefined} health of a connection */
export function failureInWords(health) {
  if (health?.state !== 'failing') return '';
  const next = health.failure === 'unreachable' ? 'It is tried again when it is needed.' : 'Disconnect, and connect again.';
  return `Access could not be renewed since ${moment(health.failingSince)}. ${FAILURES[health.failure] ?? ''} ${next}`;
}

/** @param {unknown} error */
export function advice(error) {
  if (isRefreshFailure(error)) return REFRESH;
  if (error instanceof UnsafeAddress) return error.message;
  const hint = error instanceof ApiError ? HINTS[error.code] : '';
  return [errorText(error), hint].filter(Boolean).join(' ');
}
