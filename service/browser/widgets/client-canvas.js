// The session of a widget on a canvas: its calls, consents and state go to the host over the port.

import { newId } from '../shared/ids.js';
import { TIMEOUT } from './client-call.js';
import { createPort } from './client-port.js';
import { passGesturesOn } from './client-gestures.js';
import { createClientRecords } from './client-records.js';
import { TYPES } from './messages.js';
import { TimeoutError, WidgetError, errorOf } from './widget-errors.js';

/** @typedef {import('./client-session.js').Session} Session */

/** @type {Record<string, string>} */
const REFUSED = { too_large: 'The canvas has no room for this. Store less, or remove a widget.' };
const CONSENT_TIMEOUT = 200_000; // ms; the host gives up after 180 s

/**
 * @param {object} options
 * @param {Window} options.own
 * @param {any} options.welcome the host's message
 * @param {MessagePort} options.port
 * @param {import('./client-window.js').HostWindow} options.host
 * @param {(context: any) => void} options.onContext
 * @returns {Session}
 */
export function createCanvasSession({ own, welcome, port, host, onContext }) {
  const records = createClientRecords((message) => port.postMessage(message));
  /** @type {Set<(state: any) => void>} */
  const watchers = new Set();
  const onState = (/** @type {any} */ state) => watchers.forEach((watch) => watch(state));
  const questions = createPort(port, { onContext, onState, onRecords: records.receive });

  const stopGestures = passGesturesOn(own, questions.send);

  /** @param {string} type @param {Record<string, any>} [fields] @param {number} [timeoutMs] */
  const ask = (type, fields = {}, timeoutMs = TIMEOUT) =>
    questions.ask({ type, requestId: newId(), ...fields }, { timeoutMs });

  return {
    mode: 'canvas',
    widgetId: welcome.widgetId,
    slots: welcome.slots,
    context: welcome.context,

    async send(request, { signal, timeoutMs = TIMEOUT, onStatus }) {
      const message = { type: TYPES.apiRequest, ...request };
      const answer = await questions.ask(message, { signal, timeoutMs, onStatus });
      const { envelope, httpStatus: status, retryAfterMs, consentId } = answer;
      return { envelope, status, retryAfterMs, consentId };
    },

    connect: (need) => connect(need, ask),
    status: async () => checkAnswer(await ask(TYPES.scopesGet)).integrations,
    onState(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },

    getState: async () => (await ask(TYPES.stateGet)).value,

    async setState(value) {
      const { ok, error } = await ask(TYPES.stateSet, { value });
      if (!ok) throw errorOf({ success: false, error, message: REFUSED[error] ?? 'The canvas did not keep the state.' }, {});
    },

    sendOutput(slotId, value, force) {
      if (force) questions.send({ type: TYPES.outputForce, slotId, value });
      else host.send({ type: TYPES.output, slotId, value });
    },

    followRecords: records.subscribe,
    resize: (height) => questions.send({ type: TYPES.resizeRequest, height }),
    close() {
      records.close(); // ends the subscriptions first, because the host gets no event when a port is closed
      stopGestures();
      questions.close();
    },
  };
}

/**
 * Requests a consent. The message is sent at once, within the click, because only then can the host open a window.
 * @param {import('./client-session.js').Need} need
 * @param {(type: string, fields: Record<string, any>, timeoutMs: number) => Promise<any>} ask
 * @returns {Promise<import('./client-session.js').Consent>}
 */
async function connect({ consentId }, ask) {
  if (!consentId) throw new WidgetError({ error: 'unknown_consent', message: 'The canvas did not offer this consent.' });
  try {
    const { status } = checkAnswer(await ask(TYPES.consentRequest, { consentId }, CONSENT_TIMEOUT));
    return { status };
  } catch (error) {
    if (error instanceof TimeoutError) return { status: 'timeout' };
    throw error;
  }
}

/** Throws the error that the host reports. @param {any} answer */
function checkAnswer(answer) {
  const { error, message } = answer;
  if (error) throw errorOf({ success: false, error, message }, {});
  return answer;
}
