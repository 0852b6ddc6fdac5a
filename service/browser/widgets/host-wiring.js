// @ts-check
// The connections of an open canvas: the graph, stored connections that do not work yet, and the stored states and values
// of the widgets.

import { createStates } from './host-states.js';
import { connectLate, exportIo, importIo } from './io-state.js';
import { canonical, isObject } from './json-value.js';
import { valuesToStore, restoreValues } from './stored-values.js';
import { createBudget, toStored } from './storable.js';

/**
 * @typedef {import('./host-options.js').CanvasWidget} CanvasWidget
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 */

/** @param {{onChange: (widgetId?: string) => void}} options `onChange` is called when stored data have changed */
export function createWiring({ onChange }) {
  /** @type {Map<string, CanvasWidget>} */
  const widgets = new Map();
  const budget = createBudget();
  const states = createStates(budget);
  /** @type {Map<string, Record<string, any> | undefined>} the values to store, by slot, by widget */
  const values = new Map();
  let { graph, extra, broken } = importIo(null, []);

  /** @returns {Record<string, any>} */
  function storedWidgets() {
    return isObject(extra.widgets) ? extra.widgets : {};
  }

  function noted() {
    const entries = [...widgets.values()].map(({ id, templateHandle, version }) => {
      const { values: _, ...stored } = storedWidgets()[id] ?? {};
      const state = states.has(id) ? { state: states.get(id) } : {};
      const kept = values.get(id) ? { values: values.get(id) } : {};
      return [id, { ...stored, templateHandle, slotsVersion: version ?? 1, ...state, ...kept }];
    });
    return { ...storedWidgets(), ...Object.fromEntries(entries) };
  }

  const wiring = {
    /** @param {string} id @returns {any} the stored state of the widget; null for none */
    stateOf: states.get,
    /** The current graph; an import replaces it. */
    current: () => graph,
    exportState: () => exportIo(graph, { ...extra, widgets: noted() }),

    /**
     * Takes over the connections and states of a canvas record, or of any other object. The values of slots stay.
     * @param {unknown} state
     * @returns {{broken: import('./io-state.js').Broken[], deliveries: import('./io-graph.js').Delivery[], changed: string[]}}
     *   `changed`: the widgets whose state has changed
     */
    importState(state) {
      const before = graph;
      ({ graph, extra, broken } = importIo(state, [...widgets.values()]));
      const stored = Object.entries(storedWidgets()).filter(([, noted]) => isObject(noted) && 'state' in noted);
      const changed = states.take(new Map(stored.map(([id, { state: kept }]) => [id, kept])));
      const deliveries = graph.takeValues(before);
      return { broken, deliveries: [...deliveries, ...[...widgets.values()].flatMap(restore)], changed };
    },

    /** Notes that an output has a new value, which the canvas may store. @param {string} widgetId */
    keep(widgetId) {
      const widget = widgets.get(widgetId);
      const now = widget && fitting(widget.id, valuesToStore(graph, widget));
      if (canonical(now) === canonical(values.get(widgetId))) return;
      values.set(widgetId, now);
      onChange(widgetId);
    },

    /** @param {string} id @param {unknown} value @returns {import('./json-value.js').JsonError | null} why the state was not stored, or null */
    storeState(id, value) {
      const error = states.store(id, value);
      if (!error) onChange(id);
      return error;
    },

    /**
     * Adds a widget, and the stored connections that were waiting for it.
     * @param {CanvasWidget} widget @returns {import('./io-graph.js').Delivery[]} @throws if the id is in use
     */
    add(widget) {
      graph.addWidget(widget);
      widgets.set(widget.id, widget);
      const deliveries = extra.entries.filter(({ connection }) => !connection).flatMap((entry) => connectLate(graph, entry));
      return [...deliveries, ...restore(widget)];
    },

    /** @param {string} id */
    remove(id) {
      graph.removeWidget(id);
      widgets.delete(id);
      states.remove(id);
      values.delete(id);
      budget.free(id);
      delete storedWidgets()[id];
      onChange();
    },

    /** @param {SlotRef} from @param {SlotRef} to @throws {import('./io-graph.js').IoError} */
    connect(from, to) {
      const made = graph.connect(from, to);
      onChange();
      return made;
    },

    /** @param {string} id */
    disconnect(id) {
      graph.disconnect(id);
      onChange();
    },
  };

  /** @param {string} id @param {Record<string, any> | undefined} kept @returns {Record<string, any> | undefined} undefined if the canvas is full */
  function fitting(id, kept) {
    const copy = kept && toStored(kept);
    if (copy?.error === undefined && copy && budget.put(id, copy)) return kept;
    budget.free(id);
    return undefined;
  }

  /** @param {CanvasWidget} widget @returns {import('./io-graph.js').Delivery[]} */
  function restore(widget) {
    const deliveries = restoreValues(graph, widget, storedWidgets()[widget.id]?.values);
    values.set(widget.id, fitting(widget.id, valuesToStore(graph, widget)));
    return deliveries;
  }

  return wiring;
}
