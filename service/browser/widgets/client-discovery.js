// Lists the widgets on the canvas. The host answers without a request to the server.

import { TYPES } from './messages.js';
import { clientError } from './widget-errors.js';

/** @typedef {{id: string, shapeId: string, templateHandle: string, templateName: string, icon: string}} CanvasWidget */

const TIMEOUT = 300; // ms

/** @param {(message: Record<string, any>) => void} send to the host's window */
export function createDiscovery(send) {
  /** @type {Set<(widgets: CanvasWidget[]) => void>} */
  const waiting = new Set();
  /** @type {Set<(widgets: CanvasWidget[]) => void>} */
  const listeners = new Set();

  return {
    /** @param {CanvasWidget[]} widgets */
    receive(widgets) {
      for (const listener of [...waiting, ...listeners]) listener(widgets);
      waiting.clear();
    },

    /** Throws `TimeoutError`. @param {number} [timeoutMs] @returns {Promise<CanvasWidget[]>} */
    list(timeoutMs = TIMEOUT) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(answered);
          reject(clientError('timeout'));
        }, timeoutMs);
        const answered = (/** @type {CanvasWidget[]} */ widgets) => {
          clearTimeout(timer);
          resolve(widgets);
        };
        waiting.add(answered);
        send({ type: TYPES.getWidgets });
      });
    },

    /** @param {(widgets: CanvasWidget[]) => void} listener @returns {() => void} */
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
