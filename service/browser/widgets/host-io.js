// @ts-check
// Delivers values between widgets. The first value of a slot in an animation frame is delivered at once, so that a chain
// of widgets does not wait for a frame at each widget. Later values are collected until the next frame, and only the
// latest value of a slot is delivered.

import { createDeliveryQueue } from './delivery-queue.js';
import { IoError } from './io-graph.js';
import { keyOf } from './slot-refs.js';

const HIDDEN_FLUSH = 200; // ms; a hidden page has no animation frames

/**
 * @typedef {import('./io-graph.js').IoGraph} IoGraph
 * @typedef {import('./io-graph.js').Delivery} Delivery
 * @typedef {{widgetId: string, slotId: string, value: any, force: boolean}} Output
 */

/**
 * @param {object} options
 * @param {() => IoGraph} options.graph the current one
 * @param {(delivery: Delivery) => boolean} options.deliver returns false if the widget can't receive now
 * @param {(widgetId: string, reason: string, slotId: string) => void} options.onDrop
 * @param {(widgetId: string) => void} options.onOutput called when an output of the widget has a new value
 */
export function createHostIo({ graph, deliver, onDrop, onOutput }) {
  /** @type {Map<string, Output>} the latest value of each slot that waits for the next frame */
  const outputs = new Map();
  /** @type {Set<string>} slots that have already delivered a value in this frame */
  const sent = new Set();
  const inputs = createDeliveryQueue();
  let cancel = () => {};
  let isScheduled = false;

  function schedule() {
    if (isScheduled) return;
    isScheduled = true;
    const frame = requestAnimationFrame(flush);
    const timer = setTimeout(flush, HIDDEN_FLUSH);
    cancel = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      isScheduled = false;
    };
  }

  function flush() {
    cancel();
    sent.clear();
    const taken = [...outputs.values()];
    outputs.clear();
    taken.forEach(pass);
    send();
  }

  /** Adds a value to the queue of the inputs. The next value of its slot waits for a frame. @param {Output} output */
  function pass(output) {
    sent.add(keyOf(output));
    schedule();
    inputs.add(publish(output));
  }

  function send() {
    for (const delivery of inputs.take()) deliver(delivery); // a widget that can't receive now gets the last inputs later
  }

  /** @param {Output} output @returns {Delivery[]} */
  function publish({ widgetId, slotId, value, force }) {
    try {
      const deliveries = graph().setOutput(widgetId, slotId, value, { force });
      onOutput(widgetId);
      return deliveries;
    } catch (error) {
      if (!(error instanceof IoError)) throw error;
      onDrop(widgetId, error.code, slotId);
      return [];
    }
  }

  /** @param {Delivery[]} deliveries */
  function put(deliveries) {
    inputs.add(deliveries);
    if (inputs.size) schedule();
  }

  return {
    /** @param {string} widgetId @param {string} slotId @param {any} value @param {boolean} [force] */
    set(widgetId, slotId, value, force = false) {
      const output = { widgetId, slotId, value, force };
      const key = keyOf(output);
      const isFirst = !outputs.size && !inputs.size && !sent.has(key); // a value never overtakes earlier ones
      if (isFirst) {
        pass(output);
        return send();
      }
      output.force ||= outputs.get(key)?.force ?? false;
      outputs.delete(key); // moves the slot to the end: if two slots have the same input, the last value wins
      outputs.set(key, output);
      schedule();
    },
    put,
    /** Delivers the last inputs to a widget that was loaded or can receive again. @param {string} widgetId */
    replay: (widgetId) => put(graph().lastInputs(widgetId)),
    /** @param {string} widgetId */
    forget(widgetId) {
      inputs.forget(widgetId);
      for (const [key, output] of outputs) if (output.widgetId === widgetId) outputs.delete(key);
    },
    stop: () => cancel(),
  };
}
