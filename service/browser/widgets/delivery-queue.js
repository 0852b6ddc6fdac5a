// Values that wait for the next frame: of each input only the latest.

/**
 * @typedef {import('./io-graph.js').Delivery} Delivery
 * @typedef {ReturnType<typeof createDeliveryQueue>} DeliveryQueue
 */

import { keyOf } from './slot-refs.js';

export function createDeliveryQueue() {
  /** @type {Map<string, Delivery>} by input */
  const waiting = new Map();
  return {
    get size() {
      return waiting.size;
    },

    /** @param {Delivery[]} deliveries of which a later one replaces an earlier one */
    add(deliveries) {
      for (const delivery of deliveries) waiting.set(keyOf(delivery), delivery);
    },

    /** @param {string} widgetId that was removed, or gets all its inputs anew */
    forget(widgetId) {
      for (const [key, delivery] of waiting) if (delivery.widgetId === widgetId) waiting.delete(key);
    },

    /** Empties the queue. @returns {Delivery[]} at most one for each input */
    take() {
      const deliveries = [...waiting.values()];
      waiting.clear();
      return deliveries;
    },
  };
}
