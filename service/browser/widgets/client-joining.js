// Connects to the canvas that has mounted this page in a frame.

import { createCanvasSession } from './client-canvas.js';
import { createDiscovery } from './client-discovery.js';
import { createHostWindow } from './client-window.js';

/** @typedef {import('./client-discovery.js').CanvasWidget} CanvasWidget */

const HANDSHAKE = 1500; // ms
const DISCOVERY = 3000; // ms, for a host that has answered before
const NO_HOST_DISCOVERY = 300; // ms

/**
 * @param {object} options
 * @param {Window} options.own
 * @param {Window} options.parent
 * @param {ReturnType<typeof import('./client-session.js').createSessionHolder>} options.holder
 * @param {ReturnType<typeof import('./client-io.js').createIo>} options.io
 * @param {{wants?: string[], slots?: string[]}} options.details of the hello
 * @param {number} [options.handshakeMs]
 */
export function joinCanvas({ own, parent, holder, io, details, handshakeMs = HANDSHAKE }) {
  /** @type {Set<(context: any) => void>} */
  const listeners = new Set();
  const onContext = (/** @type {any} */ context) => listeners.forEach((listener) => listener(context));
  const host = createHostWindow({
    own,
    parent,
    handlers: {
      onWelcome(welcome, port) {
        const session = createCanvasSession({ own, welcome, port, host, onContext });
        holder.take(session);
        io.begin({ slots: session.slots, send: session.sendOutput });
      },
      onWidgets: (widgets) => discovery.receive(widgets),
      onInput: io.receive,
    },
  });
  const discovery = createDiscovery(host.send);
  const isMounted = host.hello(details);
  const timer = setTimeout(() => holder.current ?? holder.giveUp('no_host'), isMounted ? handshakeMs : 0);

  return {
    onWidgets: discovery.onChange,

    /** @param {(context: any) => void} listener @returns {() => void} */
    onContext(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    /** The widgets of the canvas; empty if no canvas answers. @param {number} [timeoutMs] @returns {Promise<CanvasWidget[]>} */
    async listWidgets(timeoutMs) {
      const hasHost = await holder.whenReady().then(() => true, () => false);
      const list = discovery.list(timeoutMs ?? (hasHost ? DISCOVERY : NO_HOST_DISCOVERY));
      return hasHost ? list : list.catch(() => []);
    },

    close() {
      clearTimeout(timer);
      host.close();
    },
  };
}
