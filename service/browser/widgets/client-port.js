// Sends requests and receives answers over the private port that the host gave to this widget. An answer has the id of
// its request. The host's pings are answered here.

import { createWait } from './client-wait.js';
import { TYPES, parseHostPort } from './messages.js';

/** @typedef {import('./client-call.js').CallOptions} CallOptions */

/** The type of the answer, by the type of the request. @type {Record<string, string>} */
const ANSWERS = {
  [TYPES.apiRequest]: TYPES.apiResponse,
  [TYPES.consentRequest]: TYPES.consentResult,
  [TYPES.scopesGet]: TYPES.scopes,
  [TYPES.stateGet]: TYPES.stateGet,
  [TYPES.stateSet]: TYPES.stateSet,
};

/**
 * @typedef {ReturnType<typeof createPort>} Port
 * @typedef {{wait: ReturnType<typeof createWait<any>>, answer: string, onStatus?: CallOptions['onStatus']}} Open
 */

/**
 * @param {MessagePort} port
 * @param {object} options
 * @param {(context: any) => void} options.onContext
 * @param {(value: any) => void} options.onState called when the canvas has a new state of this widget
 * @param {(message: any) => boolean} options.onRecords handles messages about records
 */
export function createPort(port, { onContext, onState, onRecords }) {
  /** @type {Map<string, Open>} by request id */
  const open = new Map();

  /** @param {MessageEvent} event */
  function receive({ data }) {
    const { message } = parseHostPort(data);
    if (message?.type === TYPES.ping) return port.postMessage({ type: TYPES.pong });
    if (message?.type === TYPES.hostContext) return onContext(message.context);
    if (message?.type === TYPES.stateChanged) return onState(message.value);
    if (message && onRecords(message)) return;
    const question = message && open.get(message.requestId);
    if (!question) return; // the call was given up, or this version does not know the message
    if (message.type === TYPES.apiStatus) return follow(question, message.status);
    if (message.type === question.answer) question.wait.succeed(message);
  }

  port.onmessage = receive; // this also starts the port

  return {
    /** @param {Record<string, any>} message which gets no answer */
    send: (message) => port.postMessage(message),

    /**
     * @param {Record<string, any> & {type: string, requestId: string}} message
     * @param {CallOptions & {timeoutMs: number}} options
     * @returns {Promise<any>} the answer's message
     */
    async ask(message, { signal, timeoutMs, onStatus }) {
      const { requestId, endpoint } = message;
      const isCall = message.type === TYPES.apiRequest; // other requests end by themselves at the host
      const onGivenUp = () => isCall && port.postMessage({ type: TYPES.apiCancel, requestId });
      const wait = createWait({ signal, timeoutMs, onGivenUp, facts: { endpoint, requestId } });
      open.set(requestId, { wait, answer: ANSWERS[message.type], onStatus });
      if (signal?.aborted) wait.abort();
      else {
        wait.run();
        port.postMessage(message);
      }
      return wait.promise.finally(() => open.delete(requestId));
    },

    close() {
      for (const { wait } of [...open.values()]) wait.abort();
      port.close();
    },
  };
}

/**
 * Pauses the timeout while the user decides about a call.
 * @param {Open} question @param {'awaiting_approval' | 'running'} status
 */
function follow({ wait, onStatus }, status) {
  if (status === 'awaiting_approval') wait.pause();
  else wait.run();
  onStatus?.(status);
}
