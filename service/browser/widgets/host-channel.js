// @ts-check
// The host's end of the private port to the document of a widget. Opening a new port closes the old one.

import { createHeartbeat } from './host-heartbeat.js';
import { TYPES } from './messages.js';

/**
 * @typedef {ReturnType<typeof createChannel>} Channel
 * @param {{onMessage: (data: any) => void, onSilent: () => void}} options `onSilent`: called when
 *   the widget has not answered in time; it may still answer later
 */
export function createChannel({ onMessage, onSilent }) {
  /** @type {MessagePort | null} */
  let port = null;
  const ping = () => port?.postMessage({ type: TYPES.ping });
  const heartbeat = createHeartbeat({ ask: ping, onSilent });

  const channel = {
    get isOpen() {
      return port !== null;
    },

    /** @returns {MessagePort} the widget's end */
    open() {
      channel.close();
      const { port1, port2 } = new MessageChannel();
      port = port1;
      port.onmessage = ({ data }) => onMessage(data);
      return port2;
    },

    /** @param {any} message which is lost if there is no port */
    send(message) {
      port?.postMessage(message);
      channel.expectLife();
    },

    /** Call this when a message was sent to the widget in another way. */
    expectLife: () => port && heartbeat.sent(),
    ping,
    answered: heartbeat.answered,

    close() {
      heartbeat.stop();
      if (port) port.onmessage = null;
      port?.close();
      port = null;
    },
  };
  return channel;
}
