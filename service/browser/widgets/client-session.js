// The session of a widget client: with a canvas, or directly with the server. Both have the same interface.

/**
 * @typedef {{status: 'connected' | 'timeout' | 'cancelled'}} Consent
 * @typedef {import('./client-call.js').CallOptions} CallOptions
 * @typedef {import('./client-call.js').Request} Request
 * @typedef {import('./client-call.js').Answer} Answer
 * @typedef {import('./widget-errors.js').OAuthRequiredError | import('./widget-errors.js').ReconnectRequiredError} Need
 *
 * @typedef {object} Session
 * @property {'canvas' | 'standalone'} mode
 * @property {string | null} widgetId
 * @property {import('./slot-types.js').Slot[]} slots
 * @property {{theme: string, locale: string, cssVars: Record<string, string>,
 *   settings?: Record<string, any>, user?: string}} context
 * @property {(request: Request, options: CallOptions) => Promise<Answer>} send
 * @property {(need: Need) => Promise<Consent>} connect
 * @property {() => Promise<Record<string, any>>} status flags by integration
 * @property {() => Promise<any>} getState
 * @property {(value: any) => Promise<void>} setState
 * @property {(listener: (value: any) => void) => () => void} onState
 * @property {(slotId: string, value: any, force: boolean) => void} sendOutput
 * @property {(collection: string, listener: import('./client-records.js').RecordsListener) => () => void} followRecords
 * @property {(height: number) => void} resize
 * @property {() => void} close
 */

import { clientError } from './widget-errors.js';

/** Holds the session as soon as there is one. A session that comes after `giveUp` is still used for later calls. */
export function createSessionHolder() {
  /** @type {(session: Session) => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  /** @type {Promise<Session>} */
  let ready = new Promise((...both) => ([resolve, reject] = both));
  ready.catch(() => {}); // avoids an unhandled rejection if nobody waits for it
  let isClosed = false;

  const holder = {
    /** @type {Session | null} */
    current: null,
    whenReady: () => ready,

    /** @param {Session} session */
    take(session) {
      if (isClosed) return session.close(); // the client was closed before
      holder.current = session;
      resolve(session);
      ready = Promise.resolve(session);
    },

    /** @param {'no_host' | 'network' | 'aborted'} code 'aborted' closes the holder: later sessions are closed too */
    giveUp(code) {
      isClosed ||= code === 'aborted';
      const error = clientError(code);
      holder.current = null;
      reject(error);
      ready = Promise.reject(error);
      ready.catch(() => {});
    },
  };
  return holder;
}
