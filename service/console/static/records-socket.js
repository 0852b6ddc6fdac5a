// The one WebSocket of a signed-in page: does what socket-state.js decides, and nothing more.

import { ApiError, NetworkError } from './errors.js';
import { newId } from './ids.js';
import { createListeners } from './listeners.js';
import { NOT_STARTED, advance } from './socket-state.js';

/** @typedef {ReturnType<typeof createRecordsSocket>} RecordsSocket */

/**
 * @param {object} options
 * @param {string} options.token
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
  /** @type {Map<string, (message: any) => void>} */
  const waiting = new Map();
  const listeners = createListeners();

  /** @param {import('./socket-state.js').Event} event */
  function on(event) {
    const before = state.phase;
    const [next, effects] = advance(state, event);
    state = next;
    effects.forEach(perform);
    if (state.phase !== before) listeners.tell();
  }

  /** @param {import('./socket-state.js').Effect} effect */
  function perform(effect) {
    switch (effect.do) {
      case 'connect':
        return connect();
      case 'disconnect':
        clearTimeout(timer);
        return socket?.close();
      case 'wait':
        timer = setTimeout(() => on({ type: 'waited' }), effect.ms);
        return undefined;
      case 'send':
        return socket?.send(JSON.stringify(effect.message));
      case 'deliver':
        return receivers.get(effect.id)?.(effect.message);
      case 'answer':
        return waiting.get(effect.id)?.(effect.message);
      case 'sign-out':
        return onSessionOver();
    }
  }

  function connect() {
    clearTimeout(timer);
    const opened = (socket = new Socket(url, ['records.v1', `bearer.${token}`]));
    // A socket that was replaced may still speak.
    const current = () => opened === socket;
    opened.onopen = () => current() && on({ type: 'opened' });
    opened.onmessage = ({ data }) => current() && on({ type: 'message', message: JSON.parse(data) });
    opened.onclose = ({ code }) => current() && on({ type: 'closed', code, random: random() });
  }

  return {
    get phase() {
      return state.phase;
    },
    start: () => on({ type: 'start' }),
    stop: () => on({ type: 'stop' }),
    /** The server may be back: don't wait for the timer. */
    hurry: () => on({ type: 'hurry' }),
    onPhase: listeners.add,
    /**
     * @param {string} collection @param {any} where @param {(message: any) => void} receive
     * @returns {() => void} ends the subscription
     */
    subscribe(collection, where, receive) {
      const id = newId();
      receivers.set(id, receive);
      on({ type: 'subscribe', id, collection, where });
      return () => {
        receivers.delete(id);
        on({ type: 'unsubscribe', id });
      };
    },
    /**
     * Create, update or delete. Only while the phase is open.
     * @param {Record<string, any>} operation @returns {Promise<any>} the record, where there is one
     */
    ask(operation) {
      const id = newId();
      return new Promise((resolve, reject) => {
        waiting.set(id, (message) => {
          waiting.delete(id);
          if (message.type === 'error') reject(refusal(message));
          else resolve(message.record);
        });
        on({ type: 'ask', message: { id, ...operation } });
      });
    },
  };
}

/** @param {any} message */
function refusal(message) {
  if (message.error === 'connection_lost') return new NetworkError(message.message);
  return new ApiError(0, message);
}

function socketUrl() {
  return `${location.origin.replace(/^http/, 'ws')}/api/records/socket`;
}
