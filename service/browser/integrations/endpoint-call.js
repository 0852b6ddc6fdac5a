// One call of an endpoint, from the approval to the answer. A job is polled until it ends.

import { NetworkError } from '../shared/errors.js';
import { withIdempotencyKey } from '../shared/idempotency.js';
import { consentNeeded } from '../shared/oauth-answer.js';
import { createSessionApprovals } from '../widgets/session-approvals.js';
import { ownCall } from './call-approval.js';
import { isRunning, watchJob } from './job-watch.js';

/**
 * @typedef {import('./endpoint-search.js').Endpoint} Endpoint
 * @typedef {'once' | 'session' | 'deny'} Decision
 *
 * @typedef {object} Progress
 * @property {'idle' | 'asking' | 'running' | 'job' | 'done' | 'consent' | 'failed'} phase
 * @property {any} [data] of the answer, or of the running job
 * @property {import('../shared/oauth-answer.js').ConsentRequest} [consent]
 * @property {unknown} [error]
 * @property {string} [job] the id of the job, if there is one
 * @property {number} [seconds] until the answer came
 * @property {boolean} [kept] whether the answer came from the cache
 *
 * @typedef {object} Request
 * @property {any} body which is shown to the user, and stored with its idempotency key
 * @property {any} sent the same body with the contents of its files
 *
 * @typedef {object} Surroundings
 * @property {import('../shared/api-transport.js').Transport} transport
 * @property {(sent: any) => Promise<number>} price the most that a call can cost, in credits; throws if the body is refused
 * @property {(body: any, credits: number) => Promise<Decision>} approve
 * @property {(progress: Progress) => void} onProgress
 * @property {(milliseconds: number) => Promise<void>} sleep
 * @property {() => number} now milliseconds
 * @property {import('../shared/idempotency.js').Keys} [keys] idempotency keys of calls that cost or change something, by the body
 * @property {import('../widgets/session-approvals.js').SessionApprovals} [sessions] the calls that are allowed until the page is closed
 */

/** @param {Endpoint} endpoint @param {Surroundings} surroundings */
export function createEndpointCall(endpoint, surroundings) {
  const { transport, price, approve, onProgress, sleep, now, sessions = createSessionApprovals(), keys = new Map() } = surroundings;
  let current = new AbortController();
  /** @type {(() => Promise<void>) | null} continues the call or the job after a consent */
  let pending = null;

  /** @param {AbortController} own @param {Progress} progress */
  function report(own, progress) {
    if (own === current) onProgress(progress);
  }

  /** @param {Request} request */
  async function send(request) {
    const own = begin();
    if (endpoint.autoApprove) return make(own, request, 'auto', 0);
    report(own, { phase: 'running' });
    try {
      await decide(own, request, await price(request.sent));
    } catch (error) {
      report(own, { phase: 'failed', error });
    }
  }

  /** @param {AbortController} own @param {Request} request @param {number} credits */
  async function decide(own, request, credits) {
    if (own !== current) return;
    const call = ownCall({ ...endpoint, credits });
    if (sessions.covers(call)) return make(own, request, 'session', credits);
    report(own, { phase: 'asking' });
    const decision = await approve(request.body, credits);
    if (own !== current) return;
    if (decision === 'deny') return report(own, { phase: 'idle' });
    if (decision === 'session') sessions.add(call);
    await make(own, request, decision, credits);
  }

  /** @param {AbortController} own @param {Request} request @param {string} decision @param {number} credits */
  async function make(own, request, decision, credits) {
    const start = now();
    report(own, { phase: 'running' });
    try {
      const headers = { 'X-Approval': decision };
      const { answer, kept } = endpoint.autoApprove
        ? await post(own, request.sent, headers)
        : await withIdempotencyKey(keys, JSON.stringify(request.body), (key) => post(own, request.sent, { ...headers, 'Idempotency-Key': key }));
      if (own !== current) return;
      const facts = { seconds: (now() - start) / 1000, kept };
      const consent = consentNeeded(answer);
      if (consent) pending = () => makeAgain(request, decision, credits);
      if (consent) report(own, { phase: 'consent', consent });
      else if (isRunning(answer.data)) await watch(own, answer.data);
      else report(own, { phase: 'done', data: answer.data, job: answer.data?.jobId, ...facts });
    } catch (error) {
      if (!own.signal.aborted) report(own, { phase: 'failed', error });
    }
  }

  /** @param {AbortController} own @param {any} body @param {Record<string, string>} headers */
  async function post(own, body, headers) {
    const response = await transport.open(`/api/integrations/${endpoint.name}`, body, own.signal, headers);
    return { answer: await jsonOf(response), kept: response.headers.get('X-Cache') === 'hit' };
  }

  /** Repeats a call that was waiting for a consent, with its approval if that still holds. @param {Request} request @param {string} approval @param {number} credits */
  async function makeAgain(request, approval, credits) {
    const wasRevoked = approval === 'session' && !sessions.covers(ownCall({ ...endpoint, credits }));
    await (wasRevoked ? send(request) : make(begin(), request, approval, credits));
  }

  /** @param {AbortController} own @param {any} data of the job */
  async function watch(own, data) {
    const job = String(data.jobId);
    const isWanted = () => own === current;
    const state = await watchJob(data, { transport, sleep, isWanted, onState: (now) => report(own, { phase: 'job', data: now, job }) });
    if (!isWanted()) return;
    const consent = consentNeeded({ data: state });
    if (consent) pending = () => resume(job);
    if (consent) report(own, { phase: 'consent', consent, job });
    else report(own, { phase: 'done', data: state, job });
  }

  /** Polls a job that was begun earlier. @param {string} job */
  async function resume(job) {
    const own = begin();
    try {
      await watch(own, { jobId: job, status: 'running' });
    } catch (error) {
      report(own, { phase: 'failed', error });
    }
  }

  function begin() {
    current.abort();
    current = new AbortController();
    pending = null; // a consent for an earlier call must not continue that call now
    return current;
  }

  return {
    /** @param {any} body @param {any} [sent] the body with the contents of its files */
    send: (body, sent = body) => send({ body, sent }),
    /** Continues the call or the job that was waiting for a consent. */
    repeat: async () => pending?.(),
    resume,
    /** Call this when the page is left. The view stores the id of the job, and polls it again when it is opened again. */
    leave: () => void begin(),
    /** Stops waiting. The server may still finish the call, and charge for it. */
    stop() {
      begin();
      onProgress({ phase: 'idle' });
    },
  };
}

/** @param {Response} response */
async function jsonOf(response) {
  try {
    return await response.json();
  } catch {
    throw new NetworkError('The answer ended before it was complete. Look at your usage before you call again.');
  }
}
