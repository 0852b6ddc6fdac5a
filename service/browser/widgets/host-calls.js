// @ts-check
// Handles API calls of widgets: checks a call, gets the approval, makes the call, and sends the answer over the widget's
// port. Nothing is sent to the server before the user has answered.

import { ApiError, NetworkError, errorText } from '../shared/errors.js';
import { createCallApproval } from './host-call-approval.js';
import { toJson } from './json-value.js';
import { LIMITS, TYPES } from './messages.js';

const AT_ONCE = 32; // most calls of one widget at the same time

/**
 * @typedef {import('./host-options.js').HostOptions} HostOptions
 * @typedef {import('./host-options.js').CanvasWidget} CanvasWidget
 * @typedef {import('./host-options.js').Policy} Policy
 * @typedef {{httpStatus?: number, retryAfterMs?: number, envelope: any}} Answer
 * @typedef {(message: any) => void} Send
 */

/**
 * The calls of one widget.
 * @param {object} options
 * @param {CanvasWidget} options.widget
 * @param {Pick<HostOptions, 'call' | 'policy' | 'price'>} options.server
 * @param {ReturnType<typeof import('./host-approvals.js').createApprovals>} options.approvals
 * @param {ReturnType<typeof import('./host-consents.js').createConsentNeeds>} options.needs
 * @param {Send} options.send sends over the widget's current port
 * @param {(event: any) => void} options.onEvent
 */
export function createCalls({ widget, server, approvals, needs, send, onEvent }) {
  /** @type {Map<string, AbortController>} */
  const running = new Map();
  const jobs = new Set(); // the jobs of this widget's calls, whose results it may read
  const approved = createCallApproval({ widget, policyOf, price: server.price, approvals, send, onEvent });

  /** @param {any} request a parsed message @returns {string | null} why the message was dropped, or null */
  function receive(request) {
    const { requestId } = request;
    if (running.has(requestId)) return 'duplicate_request';
    const aborter = new AbortController();
    running.set(requestId, aborter);
    const failed = (/** @type {unknown} */ error) => answerOf(error, aborter.signal);
    handle(request, aborter.signal).catch(failed).then((answer) => {
      if (running.get(requestId) !== aborter) return; // the document of the widget was unloaded
      running.delete(requestId);
      if (!aborter.signal.aborted) send({ type: TYPES.apiResponse, requestId, ...answer });
    });
    return null;
  }

  /** @param {any} request @param {AbortSignal} signal @returns {Promise<Answer & {consentId?: string}>} */
  async function handle(request, signal) {
    const { endpoint } = request;
    const refused = refusal(endpoint, policyOf(endpoint));
    const body = toJson(request.method === 'GET' ? (request.query ?? {}) : (request.body ?? {}), LIMITS.apiBodyBytes);
    if (refused) return refused;
    if (body.error !== undefined) return failure(body.error, SIZES[body.error]);
    const { approval, policy } = await approved(request, body.text, signal);
    if (approval === 'deny') return failure('approval_denied', 'The call was not allowed by the user.');
    send({ type: TYPES.apiStatus, requestId: request.requestId, status: 'running' });
    const answer = await call(request, body.text, approval, signal);
    noteJob(answer.envelope);
    onEvent({ type: 'call', widgetId: widget.id, endpoint, approval, success: answer.envelope.success });
    const need = { widgetId: widget.id, endpoint, integration: policy.integration };
    const consentId = needs.note(need, answer.envelope, answer.httpStatus);
    if (!consentId) return answer;
    if (approval === 'once') approvals.giveBack({ widgetId: widget.id, endpoint, policy, text: body.text });
    return { ...answer, consentId };
  }

  /** @param {string} endpoint @returns {Policy} */
  function policyOf(endpoint) {
    const job = endpoint.startsWith('jobs/');
    if (!job) return server.policy(endpoint);
    return { known: jobs.has(endpoint.slice('jobs/'.length)), approval: 'auto', credits: 0, title: 'Result of a job' };
  }

  /** @param {string} endpoint @param {Policy} policy @returns {Answer | null} */
  function refusal(endpoint, policy) {
    if (running.size > AT_ONCE) {
      return failure('rate_limited', `A widget makes at most ${AT_ONCE} calls at once. Wait for some to end.`);
    }
    const declared = !widget.endpoints || widget.endpoints.includes(endpoint) || endpoint.startsWith('jobs/');
    const undeclared = `The widget does not declare “${endpoint}”. Add it to the template's manifest.`;
    // The page knows only the endpoints that templates declare, so an undeclared endpoint may still exist.
    if (!policy.known) return failure('unknown_endpoint', declared ? `There is no endpoint “${endpoint}” for this widget.` : undeclared);
    return declared ? null : failure('forbidden', undeclared);
  }

  /** @param {any} request @param {string} text @param {any} approval @param {AbortSignal} signal @returns {Promise<Answer>} */
  async function call({ endpoint, method, idempotencyKey }, text, approval, signal) {
    const isGet = method === 'GET';
    const content = isGet ? { query: JSON.parse(text) } : { body: text };
    const request = { widgetId: widget.id, endpoint, method, ...content, idempotencyKey, approval, signal };
    try {
      return { envelope: await server.call(request), httpStatus: 200 };
    } catch (error) {
      return answerOf(error, signal);
    }
  }

  /** @param {any} envelope */
  function noteJob({ success, data }) {
    if (success && typeof data?.jobId === 'string') jobs.add(data.jobId);
  }

  return {
    receive,
    /** @param {string} requestId @returns {boolean} whether the call existed */
    cancel(requestId) {
      const aborter = running.get(requestId);
      running.delete(requestId);
      aborter?.abort();
      return aborter !== undefined;
    },
    /** Ends all calls, because the document that waits for them was unloaded. */
    abort() {
      const all = [...running.values()];
      running.clear();
      for (const aborter of all) aborter.abort();
    },
  };
}

/** The answer to a widget for a failed request. @param {unknown} error @param {AbortSignal} [signal] @returns {Answer} */
export function answerOf(error, signal) {
  if (signal?.aborted) return failure('aborted', 'The call was cancelled.');
  if (error instanceof NetworkError) return failure('network', error.message);
  if (!(error instanceof ApiError)) return failure('host_error', errorText(error)); // `errorText` also logs the error
  const envelope = { ...error.facts, success: false, error: error.code, message: error.message };
  const wait = error.retryAfter === null ? {} : { retryAfterMs: error.retryAfter * 1_000 };
  return { envelope, httpStatus: error.status, ...wait };
}

const SIZES = {
  not_json: 'The arguments must be JSON: no functions, dates, files or cycles.',
  too_large: `The arguments are too large. Send at most ${LIMITS.apiBodyBytes} bytes of JSON.`,
};

/** @param {string} error @param {string} message @returns {Answer} an envelope that the host makes itself */
export function failure(error, message) {
  return { envelope: { success: false, error, message } };
}
