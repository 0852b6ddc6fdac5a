// Every error that a widget can meet, by the answer or the event that it stands for.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, errorText } from '../../service/browser/shared/errors.js';
import { adviceFor, reconnectText } from '../../service/browser/widgets/widget-advice.js';
import * as errors from '../../service/browser/widgets/widget-errors.js';

const FACTS = { endpoint: 'mail-list', requestId: 'r1' };
const CONSENT = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['s/mail'], authUrl: 'https://p.invalid/auth' };
const failure = (error, message = 'It failed.', more = {}) => ({ success: false, error, message, ...more });

// The class, its code, whether it may be tried again, the answer.
const ANSWERS = [
  ['ApprovalDeniedError', 'approval_denied', false, failure('approval_denied')],
  ['OAuthRequiredError', 'oauth_required', false, { success: true, data: CONSENT }],
  ['ReconnectRequiredError', 'reconnect_required', false, failure('upstream_provider_error', 'Token refresh failed: gone')],
  ['UpstreamError', 'upstream_provider_error', true, failure('upstream_provider_error')],
  ['UpstreamError', 'upstream_timeout', true, failure('upstream_timeout')],
  ['InsufficientCreditsError', 'insufficient_credits', false, failure('insufficient_credits', 'No.', { needed: 2, available: 1 })],
  ['ValidationError', 'invalid_request', false, failure('invalid_request', 'No.', { details: { to: ['Missing.'] } })],
  ['RateLimitError', 'rate_limited', true, failure('rate_limited')],
  ['TooLargeError', 'too_large', false, failure('too_large')],
  ['NetworkError', 'network', true, failure('network')],
  ['AbortedError', 'aborted', false, failure('aborted')],
  ['ProtocolError', 'protocol_error', false, '<html>'],
  ['ProtocolError', 'protocol_error', false, null],
  ['WidgetError', 'unknown_endpoint', false, failure('unknown_endpoint')],
  ['WidgetError', 'a_code_of_tomorrow', false, failure('a_code_of_tomorrow')],
  ['WidgetError', 'constructor', false, failure('constructor')],
  ['WidgetError', 'unavailable', true, failure('unavailable')],
];

for (const [name, code, retryable, envelope] of ANSWERS) {
  test(`the answer ${code} is a ${name}`, () => {
    const error = errors.errorOf(envelope, FACTS);
    assert.equal(error.constructor, errors[name]);
    assert.ok(error instanceof errors.WidgetError && error instanceof ApiError);
    assert.deepEqual([error.name, error.code, error.retryable], [name, code, retryable]);
    assert.deepEqual([error.endpoint, error.requestId], ['mail-list', 'r1']);
    assert.ok(errorText(error).startsWith(error.message) && error.message);
  });
}

for (const [name, code] of [['NetworkError', 'network'], ['TimeoutError', 'timeout'], ['AbortedError', 'aborted'], ['NoHostError', 'no_host']]) {
  test(`the client's own ${code} is a ${name} with a text`, () => {
    const error = errors.clientError(code, FACTS);
    assert.deepEqual([error.constructor, error.code], [errors[name], code]);
    assert.match(error.message, /\w+\.$/);
  });
}

test('every class is met by some answer or event', () => {
  const met = new Set([...ANSWERS.map(([name]) => name), 'TimeoutError', 'NoHostError', 'SlotError']);
  const classes = Object.keys(errors).filter((name) => name.endsWith('Error') && name !== 'clientError');
  assert.deepEqual(classes.filter((name) => !met.has(name)), []);
});

test('a success without a consent is no error', () => {
  assert.equal(errors.errorOf({ success: true, data: { requiresOAuth: 'no' } }, FACTS), null);
  assert.equal(errors.errorOf({ success: true }, FACTS), null);
});

test('an error says what can be done with it', () => {
  const of = (envelope, facts = {}) => errors.errorOf(envelope, { ...FACTS, ...facts });
  assert.deepEqual(of(ANSWERS[5][3]).available, 1);
  assert.deepEqual(of(ANSWERS[6][3]).fields, { to: ['Missing.'] });
  const limited = of(failure('rate_limited', 'Slow down.'), { retryAfterMs: 1500 });
  assert.equal(limited.retryAfterMs, 1500);
  assert.equal(errorText(limited), 'Slow down. Try again in 2 s.');
  const need = of({ success: true, data: CONSENT }, { consentId: 'c1' });
  assert.deepEqual([need.provider, need.scopes, need.authUrl, need.consentId], ['cloudsuite', ['s/mail'], CONSENT.authUrl, 'c1']);
});

test('advice about an account names it, where the answer does', () => {
  const lost = (more) => errors.errorOf(failure('upstream_provider_error', 'Token refresh failed: gone', more), FACTS);
  const error = lost({ provider: 'cloudsuite' });
  assert.equal(error.provider, 'cloudsuite');
  assert.deepEqual(adviceFor(error), { text: 'Access to your cloudsuite account can’t be renewed.', remedy: 'reconnect', label: 'Reconnect' });
  assert.match(reconnectText(error), /^Reconnect your cloudsuite account under Connections/);
  assert.equal(adviceFor(lost()).text, 'Access to your account can’t be renewed.');
  const need = errors.errorOf({ success: true, data: CONSENT }, FACTS);
  assert.equal(adviceFor(need).text, 'This needs access to your cloudsuite account.');
});

test('who is refused reads why', () => {
  const message = 'The widget does not declare “mail-send”. Add it to the manifest.';
  const advice = adviceFor(errors.errorOf(failure('forbidden', message), FACTS));
  assert.deepEqual(advice, { text: message, remedy: null, label: '' });
});
