// What a widget imports: calls of endpoints, slots, consents and state, the same on a canvas and alone.
//
// A page at the top is alone. A page in a frame belongs to the canvas that has mounted it; without an
// answer from there, calls fail: a frame never falls back to the network.

import { checkedRequest, valueOf } from './client-call.js';
import { createConnecting } from './client-connect.js';
import { createIo } from './client-io.js';
import { joinCanvas } from './client-joining.js';
import { createRecords } from './client-records.js';
import { createScopes } from './client-scopes.js';
import { createSessionPlace } from './client-session.js';
import { createState } from './client-state.js';

export * from './widget-errors.js';

/**
 * @typedef {import('./client-call.js').CallOptions} CallOptions
 * @typedef {import('./client-session.js').Need} Need
 *
 * @typedef {object} OwnOptions
 * @property {Window} [window] the widget's own
 * @property {Window} [parent]
 * @property {number} [handshakeMs] 1500 if absent
 * @property {boolean} [rawEnvelope] resolve to whole envelopes, also those of errors
 * @property {string[]} [wants] `['widgets']`: the host reports changes of the canvas
 * @property {string[]} [slots] fewer than the manifest has
 *
 * @typedef {OwnOptions & import('./client-alone.js').AloneOptions} Options
 */

const NEVER = () => () => {};

/**
 * Types by endpoint: widget-client.d.ts.
 * @param {Options} [options]
 * @returns {import('./widget-client.d.ts').WidgetClient<any>}
 */
export function createWidgetClient({ rawEnvelope = false, handshakeMs, ...options } = {}) {
  const place = createSessionPlace();
  const io = createIo();
  const frame = findFrame({ place, io, handshakeMs, options });

  /** @param {'GET' | 'POST'} method @param {string} endpoint @param {unknown} payload @param {CallOptions} [more] */
  async function call(method, endpoint, payload, more = {}) {
    const request = checkedRequest(method, endpoint, payload, more);
    const answer = await (await place.found()).send(request, more);
    return valueOf(answer, request, rawEnvelope);
  }

  const scopes = createScopes(async () => (await place.found()).status());
  // A session that is there is asked at once, within the user's click.
  const ask = async (/** @type {Need} */ need) => (place.current ?? (await place.found())).connect(need);

  const ready = place.found().then(({ mode, widgetId, slots, context }) => ({ mode, widgetId, slots, context }));
  ready.catch(() => {}); // nobody has to wait for it

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
    state: createState(place.found),
    records: createRecords(place.found),
    /** @param {number} height in CSS pixels */
    resize: (height) => place.current?.resize(height),

    /** Ends what is under way: calls fail with `AbortedError`. */
    close() {
      frame?.close();
      place.current?.close();
      place.giveUp('aborted');
    },
  };
}

/**
 * @param {object} parts
 * @param {ReturnType<typeof createSessionPlace>} parts.place
 * @param {ReturnType<typeof createIo>} parts.io
 * @param {number} [parts.handshakeMs]
 * @param {Options} parts.options
 * @returns {ReturnType<typeof joinCanvas> | null} null if the page is alone
 */
function findFrame({ place, io, handshakeMs, options }) {
  const own = options.window ?? globalThis.window;
  const parent = options.parent ?? own.parent;
  const { wants, slots } = options;
  if (parent !== own) {
    return joinCanvas({ own, parent, place, io, handshakeMs, details: { ...(wants && { wants }), ...(slots && { slots }) } });
  }
  io.beginAlone();
  // A page for frames, opened in a tab: it has no storage and no network.
  if (own.origin === 'null') place.giveUp('no_host');
  else standAlone(own, place, options);
  return null;
}

/**
 * Loads what only a page of its own needs: a canvas has many frames, which share no cache.
 * @param {Window} own @param {ReturnType<typeof createSessionPlace>} place @param {Options} options
 */
async function standAlone(own, place, options) {
  try {
    const { aloneSession } = await import('./client-alone.js');
    place.take(aloneSession(own, options));
  } catch (error) {
    place.giveUp('network');
    throw error; // for the developer
  }
}
