// @ts-check
// Values between widgets. A slot's first value in a frame is sent on at once, so that a chain of widgets
// need not wait for a frame at each of them. Later ones are collected until the next frame: of many values
// of a slot only the latest travels.

import { createDeliveryQueue } from './delivery-queue.js';
import { IoError } from './io-graph.js';
import { keyOf } from './slot-refs.js';

const HIDDEN_FLUSH = 200; // ms; a page that is not shown draws no frames

/**
 * @typedef {import('./io-graph.js').IoGraph} IoGraph
 * @typedef {import('./io-graph.js').Delivery} Delivery
 * @typedef {{widgetId: string, slotId: string, value: any, force: boolean}} Output
 */

/**
 * @param {object} options
 * @param {() => IoGraph} options.graph the current one
 * @param {(delivery: Delivery) => boolean} options.deliver returns false where the widget can't receive now
 * @param {(widgetId: string, reason: string, slotId: string) => void} options.onDrop
 * @param {(widgetId: string) => void} options.onOutput one of its outputs has a value
 */
export function createHostIo({ graph, deliver, onDrop, onOutput }) {
  /** @type {Map<string, Output>} the latest value of each slot that waits for the next frame */
  const outputs = new Map();
  /** @type {Set<string>} slots that have had their value in this frame */
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

  /** @param {Output} output to the queue of the inputs; the next one of its slot waits for a frame */
  function pass(output) {
    sent.add(keyOf(output));
    schedule();
    inputs.add(publish(output));
  }

  function send() {
    for (const delivery of inputs.take()) deliver(delivery); // who can't receive gets the last inputs later
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
      const isFirst = !outputs.size && !inputs.size && !sent.has(key); // never before what came earlier
      if (isFirst) {
        pass(output);
        return send();
      }
      output.force ||= outputs.get(key)?.force ?? false;
      outputs.delete(key); // of two slots with one input, that which has spoken last is the last
      outputs.set(key, output);
      schedule();
    },
    put,
    /** What a widget that has just come, or come back, is to receive. @param {string} widgetId */
    replay: (widgetId) => put(graph().lastInputs(widgetId)),
    /** @param {string} widgetId */
    forget(widgetId) {
      inputs.forget(widgetId);
      for (const [key, output] of outputs) if (output.widgetId === widgetId) outputs.delete(key);
    },
    stop: () => cancel(),
  };
}
