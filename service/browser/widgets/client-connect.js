// Consents: one at a time is asked for, and the call that needed it is made once more.

import { OAuthRequiredError, ReconnectRequiredError } from './widget-errors.js';

/**
 * @typedef {import('./client-session.js').Consent} Consent
 * @typedef {import('./client-session.js').Need} Need
 */

/**
 * @param {object} options
 * @param {(need: Need) => Promise<Consent>} options.ask
 * @param {() => Promise<void>} options.refresh reads what is allowed now
 */
export function createConnecting({ ask, refresh }) {
  /** @param {Need} need @returns {Promise<Consent>} */
  async function connect(need) {
    const result = await ask(need);
    if (result.status === 'connected') await refresh();
    return result;
  }

  return {
    connect,

    /**
     * Runs `work`, and once more after the consent that it asks for. The second error is thrown.
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

/** @param {unknown} error @returns {error is Need} */
function isNeed(error) {
  return error instanceof OAuthRequiredError || error instanceof ReconnectRequiredError;
}
