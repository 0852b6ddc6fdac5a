// The errors of the widget client, each with a code, and the conversion of an answer into its error.
// Source: docs/contract.md, section 12 and "Errors".

import { ApiError } from '../shared/errors.js';
import { consentNeeded, isRefreshFailure } from '../shared/oauth-answer.js';

/**
 * What is known about a call apart from its answer.
 * @typedef {object} Facts
 * @property {string} [endpoint]
 * @property {string} [requestId]
 * @property {number} [status] the HTTP status; 0 if there was no answer
 * @property {number | null} [retryAfterMs]
 * @property {string} [consentId] the host's id of the needed consent
 */

/** The base class of all errors of the client. `facts` is the body that the server sent. */
export class WidgetError extends ApiError {
  /** @param {{error?: string, message?: string} & Record<string, any>} body @param {Facts} [facts] */
  constructor(body, { endpoint, requestId, status = 0, retryAfterMs = null } = {}) {
    super(status, body, retryAfterMs === null ? null : Math.ceil(retryAfterMs / 1000));
    this.name = new.target.name;
    this.endpoint = endpoint;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same call may succeed later without any action. */
  get retryable() {
    return RETRYABLE.includes(this.code);
  }
}

const RETRYABLE = [
  'network', 'timeout', 'rate_limited', 'upstream_provider_error', 'upstream_timeout', 'draining', 'unavailable',
];

/** The user has refused the call. This is a normal answer: don't ask again without an action of the user. */
export class ApprovalDeniedError extends WidgetError {}

/** The user must first give a consent at a provider: `client.connect(error)` requests it. */
export class OAuthRequiredError extends WidgetError {
  /** @param {import('../shared/oauth-answer.js').ConsentRequest} need @param {Facts} facts */
  constructor(need, facts) {
    super({ error: 'oauth_required', message: `Connect your ${need.provider} account first.` }, facts);
    this.provider = need.provider;
    this.scopes = need.scopes;
    this.authUrl = need.authUrl;
    this.consentId = facts.consentId;
  }
}

/**
 * The account is connected, but its tokens can't be renewed. On a canvas, `client.connect(error)` reconnects the account.
 * A standalone widget can't do this: it says which account must be reconnected, and where.
 */
export class ReconnectRequiredError extends WidgetError {
  /** @param {Record<string, any>} body @param {Facts} facts */
  constructor(body, facts) {
    super({ ...body, error: 'reconnect_required' }, facts);
    /** @type {string | undefined} the provider of the account */
    this.provider = typeof body.provider === 'string' ? body.provider : undefined;
    this.consentId = facts.consentId;
  }
}

/** The vendor failed, or took too long. */
export class UpstreamError extends WidgetError {}

/** The payer does not have enough credits: `needed`, and `available` if the user pays. */
export class InsufficientCreditsError extends WidgetError {
  get needed() {
    return this.facts.needed;
  }

  get available() {
    return this.facts.available;
  }
}

/** The body is not valid for the endpoint: `fields` has the reasons by parameter. */
export class ValidationError extends WidgetError {
  /** @returns {Record<string, string[]>} */
  get fields() {
    return this.details ?? {};
  }
}

export class RateLimitError extends WidgetError {}

/** The body, the value or the state is larger than allowed. */
export class TooLargeError extends WidgetError {}

/** No answer came. */
export class NetworkError extends WidgetError {}

/** No answer came within the time that the caller has set. */
export class TimeoutError extends WidgetError {}

/** The caller has canceled the call or closed the client. */
export class AbortedError extends WidgetError {}

/** The page belongs into a frame of a canvas, but no canvas has answered. */
export class NoHostError extends WidgetError {}

/** A value does not fit the slot, or the slot does not exist. */
export class SlotError extends WidgetError {}

/** The answer is not one of this service. */
export class ProtocolError extends WidgetError {}

/** @type {Record<string, typeof WidgetError>} */
const CLASSES = {
  approval_denied: ApprovalDeniedError,
  upstream_provider_error: UpstreamError,
  upstream_timeout: UpstreamError,
  insufficient_credits: InsufficientCreditsError,
  invalid_request: ValidationError,
  rate_limited: RateLimitError,
  too_large: TooLargeError,
  network: NetworkError,
  timeout: TimeoutError,
  aborted: AbortedError,
  no_host: NoHostError,
  slot_error: SlotError,
  protocol_error: ProtocolError,
};

/** The messages of the client's own errors; answers of the server have their own messages. */
const MESSAGES = {
  network: 'The server can’t be reached. Check the connection, then try again.',
  timeout: 'There was no answer in time. Try again.',
  aborted: 'The call was stopped.',
  no_host: 'No canvas has answered this widget. Open it on a canvas, or on a page of its own.',
  protocol_error: 'The answer is not one of this service. Check the address of its API.',
};

/** Creates an error of the client itself. @param {keyof typeof MESSAGES} code @param {Facts} [facts] */
export function clientError(code, facts = {}) {
  return new CLASSES[code]({ error: code, message: MESSAGES[code] }, facts);
}

/**
 * The error in an answer; null for a success.
 * @param {any} envelope `{success, data}` or `{success: false, error, message, …}`
 * @param {Facts} facts
 * @returns {WidgetError | null}
 */
export function errorOf(envelope, facts) {
  if (envelope?.success === true) {
    const need = consentNeeded(envelope);
    return need && new OAuthRequiredError(need, facts);
  }
  if (typeof envelope?.error !== 'string') return clientError('protocol_error', facts);
  const isUpstream = envelope.error === 'upstream_provider_error';
  if (isUpstream && isRefreshFailure(new ApiError(502, envelope))) return new ReconnectRequiredError(envelope, facts);
  const Class = Object.hasOwn(CLASSES, envelope.error) ? CLASSES[envelope.error] : WidgetError;
  return new Class(envelope, facts);
}
