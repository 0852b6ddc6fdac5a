// A queue of values that wait for the next frame, with only the latest value for each input.

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

    /** @param {Delivery[]} deliveries a later one replaces an earlier one for the same input */
    add(deliveries) {
      for (const delivery of deliveries) waiting.set(keyOf(delivery), delivery);
    },

    /** @param {string} widgetId of a widget that was removed, or whose inputs are all sent again */
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
