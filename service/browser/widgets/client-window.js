// The connection to the host's window: the handshake, and the messages that need no port. Only messages of the parent
// window are accepted, and after the welcome only from the origin that sent the welcome.

import { TYPES, VERSION, parseHostWindow } from './messages.js';

/**
 * @typedef {object} Handlers
 * @property {(message: any, port: MessagePort) => void} onWelcome called once
 * @property {(widgets: any[]) => void} onWidgets
 * @property {(message: {slotId: string, value: any}) => void} onInput
 *
 * @typedef {ReturnType<typeof createHostWindow>} HostWindow
 */

/**
 * @param {object} options
 * @param {Window} options.own
 * @param {Window} options.parent
 * @param {Handlers} options.handlers
 */
export function createHostWindow({ own, parent, handlers }) {
  const nonce = nonceOf(own.location.hash);
  /** @type {string | null} of the host; null until the host has welcomed this widget */
  let origin = null;

  /** @param {MessageEvent} event */
  function receive(event) {
    if (event.source !== parent || (origin !== null && event.origin !== origin)) return;
    const { message } = parseHostWindow(event.data);
    if (message?.type === TYPES.widgets) handlers.onWidgets(message.widgets);
    else if (message?.type === TYPES.welcome) welcome(message, event);
    else if (message?.type === TYPES.input && origin !== null) handlers.onInput(message);
  }

  /** @param {any} message @param {MessageEvent} event */
  function welcome(message, event) {
    if (origin !== null || message.nonce !== nonce || !event.ports[0]) return;
    origin = event.origin;
    handlers.onWelcome(message, event.ports[0]);
  }

  /** @param {Record<string, any>} message */
  function send(message) {
    parent.postMessage(message, origin && origin !== 'null' ? origin : '*');
  }

  own.addEventListener('message', receive);

  return {
    send,

    /**
     * Sends the hello message. Returns false if no host has mounted this page: then its address has no nonce of a host.
     * @param {{wants?: string[], slots?: string[]}} details
     */
    hello(details) {
      if (nonce) send({ type: TYPES.hello, v: VERSION, nonce, ...details });
      return nonce !== null;
    },

    close: () => own.removeEventListener('message', receive),
  };
}

/** @param {string} hash as in `#wn=…` @returns {string | null} */
function nonceOf(hash) {
  return new URLSearchParams(hash.slice(1)).get('wn');
}
