// The values that a canvas stores: the last values of outputs whose slot has `persist`, and no others.

import { IoError } from './io-graph.js';
import { isObject, toJson } from './json-value.js';
import { LIMITS } from './messages.js';

/**
 * @typedef {import('./io-graph.js').IoGraph} IoGraph
 * @typedef {{id: string, slots: import('./slot-types.js').Slot[]}} Widget
 */

/** @param {Widget} widget */
function storedSlots({ slots }) {
  return slots.filter(({ direction, persist }) => direction === 'output' && persist === true);
}

/**
 * The values to store for a widget, together at most 64 KiB: a value that does not fit after those of the slots before
 * it is left out.
 * @param {IoGraph} graph @param {Widget} widget
 * @returns {Record<string, any> | undefined} the values by slot
 */
export function valuesToStore(graph, widget) {
  /** @type {Record<string, any>} */
  let kept = {};
  for (const { id: slotId } of storedSlots(widget)) {
    const value = graph.lastOutput({ widgetId: widget.id, slotId });
    const more = { ...kept, [slotId]: value };
    if (value !== undefined && !toJson(more, LIMITS.keptBytes).error) kept = more;
  }
  return Object.keys(kept).length ? kept : undefined;
}

/**
 * Sets the stored values of outputs that have no value yet.
 * @param {IoGraph} graph @param {Widget} widget
 * @param {unknown} stored the values by slot; may have any form
 * @returns {import('./io-graph.js').Delivery[]}
 */
export function restoreValues(graph, widget, stored) {
  if (!isObject(stored)) return [];
  const missing = storedSlots(widget).filter(({ id }) => {
    return Object.hasOwn(stored, id) && graph.lastOutput({ widgetId: widget.id, slotId: id }) === undefined;
  });
  return missing.flatMap(({ id }) => setStored(graph, widget.id, id, stored[id]));
}

/** @param {IoGraph} graph @param {string} widgetId @param {string} slotId @param {unknown} value */
function setStored(graph, widgetId, slotId, value) {
  try {
    return isObject(value) ? graph.setOutput(widgetId, slotId, value) : [];
  } catch (error) {
    if (!(error instanceof IoError)) throw error;
    return []; // the template has changed since, and the value no longer fits
  }
}
