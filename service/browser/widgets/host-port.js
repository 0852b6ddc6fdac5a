// @ts-check
// Receives the messages on a widget's port and passes each to its handler.

import { UnsafeAddress, safeAuthUrl } from '../shared/oauth-answer.js';
import { answerOf } from './host-calls.js';
import { createScopes } from './host-scopes.js';
import { TYPES } from './messages.js';

/**
 * @typedef {import('./host-options.js').HostOptions} HostOptions
 * @typedef {import('./host-options.js').ConsentNeed} ConsentNeed
 *
 * @typedef {object} Surroundings
 * @property {import('./host-session.js').Session} session
 * @property {ReturnType<typeof import('./host-calls.js').createCalls>} calls
 * @property {ReturnType<typeof import('./host-records.js').createHostRecords>} records
 * @property {ReturnType<typeof import('./host-consents.js').createConsentNeeds>} needs
 * @property {ReturnType<typeof import('./host-refusals.js').createRefusalCounter>} refusals
 * @property {() => any} state the stored state of the widget
 * @property {(value: unknown) => string | null} store stores a state; returns an error if it can't
 * @property {Pick<HostOptions, 'consent' | 'scopes'>} options
 * @property {(slotId: string, value: any) => void} force
 * @property {(height: number) => void} resize
 * @property {(reason: string, data?: any) => void} drop
 */

/** @param {Surroundings} surroundings @returns {(message: any) => void} receives parsed messages */
export function createPortReceiver(surroundings) {
  const { session, calls, records, needs, refusals, state, store, options, force, resize, drop } = surroundings;
  const { id } = session.widget;
  const scopes = createScopes(async () => (await options.scopes?.()) ?? {});

  /** @type {Record<string, (message: any) => void>} */
  const receivers = {
    [TYPES.apiRequest](message) {
      const refused = calls.receive(message);
      if (refused) drop(refused, message);
    },
    [TYPES.apiCancel](message) {
      if (!calls.cancel(message.requestId)) drop('unknown_request', message);
    },
    [TYPES.consentRequest](message) {
      const need = needs.of(id, message.consentId);
      if (!need) drop('unknown_consent', message);
      consent(message.requestId, need);
    },
    [TYPES.scopesGet]: ({ requestId }) => answerScopes(requestId),
    [TYPES.recordsSubscribe]: records.subscribe,
    [TYPES.recordsUnsubscribe]: records.unsubscribe,
    [TYPES.outputForce]: ({ slotId, value }) => force(slotId, value),
    [TYPES.resizeRequest]: ({ height }) => resize(height),
    [TYPES.wheel]() {}, // the canvas gets these from `onEvent`
    [TYPES.leave]() {},
    [TYPES.stateGet]({ requestId }) {
      session.send({ type: TYPES.stateGet, requestId, value: state() });
    },
    [TYPES.stateSet]({ requestId, value }) {
      const error = store(value);
      session.send({ type: TYPES.stateSet, requestId, ok: !error, ...(error && { error }) });
    },
  };

  /** Called while the message from the widget's click is handled: browsers allow a new window only then. @param {string} requestId @param {ConsentNeed | null} need */
  async function consent(requestId, need) {
    const ask = async () => ({ status: need && isSafe(need) ? await consentTo(need) : 'cancelled' });
    const answer = await answerFrom(ask);
    session.send({ type: TYPES.consentResult, requestId, status: 'cancelled', ...answer });
  }

  /** @param {ConsentNeed} need which opens a dialog, so the refused ones are counted */
  async function consentTo(need) {
    if (refusals.isOver(id)) return 'cancelled';
    const { status } = await options.consent({ ...need, widgetName: session.widget.templateName });
    if (!need.signal?.aborted) refusals.note(id, status === 'cancelled');
    return status;
  }

  /** @param {ConsentNeed} need */
  function isSafe({ renew, authUrl }) {
    try {
      return renew || safeAuthUrl(authUrl) !== '';
    } catch (error) {
      if (!(error instanceof UnsafeAddress)) throw error;
      drop('unsafe_address');
      return false;
    }
  }

  /** @param {string} requestId */
  async function answerScopes(requestId) {
    const answer = await answerFrom(async () => ({ integrations: allFlags(await scopes()) }));
    session.send({ type: TYPES.scopes, requestId, integrations: {}, ...answer });
  }

  return (message) => receivers[message.type](message);
}

/**
 * Returns the fields of an answer, or the error, so that the widget does not wait until its timeout.
 * @param {() => Promise<Record<string, any>>} read
 */
async function answerFrom(read) {
  try {
    return await read();
  } catch (failure) {
    const { error, message } = answerOf(failure).envelope;
    return { error, message };
  }
}

/** @param {Record<string, any>} status of all connections */
function allFlags(status) {
  return Object.fromEntries(Object.entries(status).map(([name, each]) => [name, flagsOf(each)]));
}

/** Only the flags: a widget must not learn the email address of an account. @param {Record<string, any>} status */
function flagsOf(status) {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => typeof value === 'boolean'));
}
