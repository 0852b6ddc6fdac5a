// The WebSocket of a signed-in page. It carries out the effects that socket-state.js returns.

import { ApiError, NetworkError } from './errors.js';
import { newId } from './ids.js';
import { createListeners } from './listeners.js';
import { NOT_STARTED, advance } from './socket-state.js';

/** @typedef {ReturnType<typeof createRecordsSocket>} RecordsSocket */

const CONNECTING = 0; // of a WebSocket's readyState

/**
 * @param {object} options
 * @param {() => string | null} options.token called for each connection
 * @param {() => void} options.onSessionOver
 * @param {string} [options.url]
 * @param {typeof WebSocket} [options.Socket]
 * @param {() => number} [options.random]
 */
export function createRecordsSocket(options) {
  const { token, onSessionOver, url = socketUrl() } = options;
  const { Socket = globalThis.WebSocket, random = Math.random } = options;
  let state = NOT_STARTED;
  /** @type {WebSocket | null} */
  let socket = null;
  /** @type {any} */
  let timer = 0;
  /** @type {Map<string, (message: any) => void>} */
  const receivers = new Map();
  /** @type {Map<string, any>} the timer of each refused subscription, also after a reconnect */
  const refused = new Map();
  /** @type {Map<string, (message: any) => void>} */
  const pending = new Map();
  const listeners = createListeners();

  /** @param {import('./socket-state.js').Event} event */
  function handle(event) {
    const before = state.phase;
    const [next, effects] = advance(state, event);
    state = next;
    effects.forEach(perform);
    if (state.phase !== before) listeners.notify();
  }

  /** @param {import('./socket-state.js').Effect} effect */
  function perform(effect) {
    switch (effect.do) {
      case 'connect':
        return connect();
      case 'disconnect':
        clearTimeout(timer);
        return socket && close(socket);
      case 'wait':
        timer = setTimeout(() => handle({ type: 'timeout' }), effect.ms);
        return undefined;
      case 'send':
        return socket?.send(JSON.stringify(effect.message));
      case 'try-again':
        clearTimeout(refused.get(effect.id));
        refused.set(effect.id, setTimeout(() => handle({ type: 'again', id: effect.id }), effect.ms * (1 + random()))); // a random delay, so that not all clients subscribe at once
        return undefined;
      case 'deliver':
        return receivers.get(effect.id)?.(effect.message);
      case 'answer':
        return pending.get(effect.id)?.(effect.message);
      case 'sign-out':
        return onSessionOver();
    }
  }

  function connect() {
    clearTimeout(timer);
    const created = (socket = new Socket(url, ['records.v1', `bearer.${token()}`]));
    // A replaced socket may still send events.
    const current = () => created === socket;
    created.onopen = () => current() && handle({ type: 'opened' });
    created.onmessage = ({ data }) => current() && handle({ type: 'message', message: JSON.parse(data) });
    created.onclose = ({ code }) => current() && handle({ type: 'closed', code, random: random() });
  }

  return {
    get phase() {
      return state.phase;
    },
    start: () => handle({ type: 'start' }),
    stop: () => handle({ type: 'stop' }),
    /** Reconnects now instead of waiting for the timer. */
    reconnectNow: () => handle({ type: 'reconnect' }),
    /** Reconnects even if the connection seems to be open. */
    renew: () => handle({ type: 'renew' }),
    /** Connects with a newer token, also after the session has ended. */
    useToken: () => handle({ type: 'token' }),
    onPhase: listeners.add,
    /**
     * @param {string} collection @param {any} where @param {(message: any) => void} receive
     * @param {string} [cursor] of a snapshot: then only the changes since the snapshot are sent, and the message
     *   `resync` if some were missed
     * @returns {() => void} ends the subscription
     */
    subscribe(collection, where, receive, cursor) {
      const id = newId();
      receivers.set(id, receive);
      handle({ type: 'subscribe', id, collection, where, cursor });
      return () => {
        receivers.delete(id);
        clearTimeout(refused.get(id));
        refused.delete(id);
        handle({ type: 'unsubscribe', id });
      };
    },
    /**
     * Sends a create, update or delete. Allowed only while the phase is 'open'.
     * @param {Record<string, any>} operation @returns {Promise<any>} the record, if there is one
     */
    request(operation) {
      const id = newId();
      return new Promise((resolve, reject) => {
        pending.set(id, (message) => {
          pending.delete(id);
          if (message.type === 'error') reject(errorFrom(message));
          else resolve(message.record);
        });
        handle({ type: 'request', message: { id, ...operation } });
      });
    },
  };
}

/**
 * Closes a socket. One that is still connecting is closed when it opens, because browsers log an error otherwise.
 * @param {WebSocket} socket
 */
function close(socket) {
  if (socket.readyState !== CONNECTING) return socket.close();
  socket.onopen = () => socket.close();
}

/** @param {any} message */
function errorFrom(message) {
  if (message.error === 'connection_lost') return new NetworkError(message.message);
  return new ApiError(0, message);
}

function socketUrl() {
  return `${location.origin.replace(/^http/, 'ws')}/api/records/socket`;
}
