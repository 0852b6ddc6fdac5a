// The client that a widget imports: calls of endpoints, slots, consents and state. It works in the same way on a canvas
// and standalone.
//
// A top-level page is standalone. A page in a frame belongs to the canvas that has mounted it. If the canvas does not
// answer, calls fail: a frame never uses the network itself.

import { checkRequest, valueOf } from './client-call.js';
import { createConnecting } from './client-connect.js';
import { createIo } from './client-io.js';
import { joinCanvas } from './client-joining.js';
import { createRecords } from './client-records.js';
import { createScopes } from './client-scopes.js';
import { createSessionHolder } from './client-session.js';
import { createState } from './client-state.js';

export * from './widget-errors.js';

/**
 * @typedef {import('./client-call.js').CallOptions} CallOptions
 * @typedef {import('./client-session.js').Need} Need
 *
 * @typedef {object} OwnOptions
 * @property {Window} [window] the widget's own window
 * @property {Window} [parent]
 * @property {number} [handshakeMs] 1500 if absent
 * @property {boolean} [rawEnvelope] whether calls resolve to whole envelopes, also for errors
 * @property {string[]} [wants] `['widgets']`: the host reports changes of the canvas
 * @property {string[]} [slots] the used slots, if they are fewer than those of the manifest
 *
 * @typedef {OwnOptions & import('./client-standalone-setup.js').StandaloneOptions} Options
 */

const NEVER = () => () => {};

/**
 * Creates the client. The types of all endpoints are in widget-client.d.ts.
 * @param {Options} [options]
 * @returns {import('./widget-client.d.ts').WidgetClient<any>}
 */
export function createWidgetClient({ rawEnvelope = false, handshakeMs, ...options } = {}) {
  const holder = createSessionHolder();
  const io = createIo();
  const frame = findFrame({ holder, io, handshakeMs, options });

  /** @param {'GET' | 'POST'} method @param {string} endpoint @param {unknown} payload @param {CallOptions} [more] */
  async function call(method, endpoint, payload, more = {}) {
    const request = checkRequest(method, endpoint, payload, more);
    const answer = await (await holder.whenReady()).send(request, more);
    return valueOf(answer, request, rawEnvelope);
  }

  const scopes = createScopes(async () => (await holder.whenReady()).status());
  // An existing session is asked at once, within the user's click.
  const ask = async (/** @type {Need} */ need) => (holder.current ?? (await holder.whenReady())).connect(need);

  const ready = holder.whenReady().then(({ mode, widgetId, slots, context }) => ({ mode, widgetId, slots, context }));
  ready.catch(() => {}); // avoids an unhandled rejection if nobody waits for it

  return {
    /** Rejects with `NoHostError`. */
    ready,
    /** @param {string} endpoint @param {unknown} [body] @param {CallOptions} [more] */
    post: (endpoint, body, more) => call('POST', endpoint, body, more),
    /** @param {string} endpoint @param {unknown} [query] @param {CallOptions} [more] */
    get: (endpoint, query, more) => call('GET', endpoint, query, more),
    setOutput: io.setOutput,
    onInput: io.onInput,
    listWidgets: async (/** @type {{timeoutMs?: number}} */ { timeoutMs } = {}) => frame?.listWidgets(timeoutMs) ?? [],
    onWidgets: frame?.onWidgets ?? NEVER,
    onContext: frame?.onContext ?? NEVER,
    ...createConnecting({ ask, refresh: scopes.refresh }),
    scopes,
    state: createState(holder.whenReady),
    records: createRecords(holder.whenReady),
    /** @param {number} height in CSS pixels */
    resize: (height) => holder.current?.resize(height),

    /** Ends all running calls: they fail with `AbortedError`. */
    close() {
      frame?.close();
      holder.current?.close();
      holder.giveUp('aborted');
    },
  };
}

/**
 * @param {object} parts
 * @param {ReturnType<typeof createSessionHolder>} parts.holder
 * @param {ReturnType<typeof createIo>} parts.io
 * @param {number} [parts.handshakeMs]
 * @param {Options} parts.options
 * @returns {ReturnType<typeof joinCanvas> | null} null if the page is standalone
 */
function findFrame({ holder, io, handshakeMs, options }) {
  const own = options.window ?? globalThis.window;
  const parent = options.parent ?? own.parent;
  const { wants, slots } = options;
  if (parent !== own) {
    return joinCanvas({ own, parent, holder, io, handshakeMs, details: { ...(wants && { wants }), ...(slots && { slots }) } });
  }
  io.beginAlone();
  // A sandboxed page that was opened in a tab: it has no storage and no network.
  if (own.origin === 'null') holder.giveUp('no_host');
  else standAlone(own, holder, options);
  return null;
}

/**
 * Loads the modules that only a standalone page needs. Frames don't load them, because a canvas has many frames and they
 * share no cache.
 * @param {Window} own @param {ReturnType<typeof createSessionHolder>} holder @param {Options} options
 */
async function standAlone(own, holder, options) {
  try {
    const { standaloneSession } = await import('./client-standalone-setup.js');
    holder.take(standaloneSession(own, options));
  } catch (error) {
    holder.giveUp('network');
    throw error; // so that the developer sees the error
  }
}
