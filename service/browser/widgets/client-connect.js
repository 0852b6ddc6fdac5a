// Handles consents: requests each needed consent once, and repeats the call that needed it.

import { OAuthRequiredError, ReconnectRequiredError } from './widget-errors.js';

/**
 * @typedef {import('./client-session.js').Consent} Consent
 * @typedef {import('./client-session.js').Need} Need
 */

/**
 * @param {object} options
 * @param {(need: Need) => Promise<Consent>} options.ask
 * @param {() => Promise<void>} options.refresh reads the current permissions
 */
export function createConnecting({ ask, refresh }) {
  /** @type {Map<string, Promise<Consent>>} the running requests, by the key of the need */
  const open = new Map();

  /** @param {Need} need @returns {Promise<Consent>} the same promise for all calls with the same need */
  function connect(need) {
    const key = keyOf(need);
    const consent = open.get(key) ?? askOnce(need).finally(() => open.delete(key));
    open.set(key, consent);
    return consent;
  }

  /** @param {Need} need @returns {Promise<Consent>} */
  async function askOnce(need) {
    const result = await ask(need);
    if (result.status === 'connected') await refresh();
    return result;
  }

  return {
    connect,

    /**
     * Runs `work`. If it needs a consent, requests the consent and runs `work` a second time; an error of the second run
     * is thrown.
     * @template T @param {() => Promise<T>} work @returns {Promise<T>}
     */
    async withConnection(work) {
      try {
        return await work();
      } catch (error) {
        if (!isNeed(error)) throw error;
        const { status } = await connect(error);
        if (status !== 'connected') throw error;
      }
      return work();
    },
  };
}

/** @param {Need} need */
function keyOf(need) {
  if (need instanceof OAuthRequiredError) return JSON.stringify([need.provider, ...need.scopes]);
  return JSON.stringify([need.code, need.endpoint]);
}

/** @param {unknown} error @returns {error is Need} */
function isNeed(error) {
  return error instanceof OAuthRequiredError || error instanceof ReconnectRequiredError;
}
