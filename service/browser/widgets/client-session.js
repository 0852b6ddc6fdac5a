// Whom a widget talks to: a canvas, or the server itself. Both offer the same.

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

/** The session, once it is found. A host that answers late is still taken, for the calls that follow. */
export function createSessionPlace() {
  /** @type {(session: Session) => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  /** @type {Promise<Session>} */
  let found = new Promise((...both) => ([resolve, reject] = both));
  found.catch(() => {}); // nobody has to wait for it
  let isClosed = false;

  const place = {
    /** @type {Session | null} */
    current: null,
    found: () => found,

    /** @param {Session} session */
    take(session) {
      if (isClosed) return session.close(); // before it was there
      place.current = session;
      resolve(session);
      found = Promise.resolve(session);
    },

    /** @param {'no_host' | 'network' | 'aborted'} code the last one closes the place */
    giveUp(code) {
      isClosed ||= code === 'aborted';
      const error = clientError(code);
      place.current = null;
      reject(error);
      found = Promise.reject(error);
      found.catch(() => {});
    },
  };
  return place;
}
