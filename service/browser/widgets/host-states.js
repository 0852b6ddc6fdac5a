// @ts-check
// The current states of the widgets of a canvas.

import { canonical } from './json-value.js';
import { LIMITS } from './messages.js';
import { toStored } from './storable.js';

/** @param {ReturnType<typeof import('./storable.js').createBudget>} budget for all stored values of the canvas */
export function createStates(budget) {
  /** @type {Map<string, {value: any, text: string}>} the states by widget */
  const states = new Map();
  const keyOf = (/** @type {string} */ id) => `state ${id}`;

  /** @param {string} id @param {any} value */
  function read(id, value) {
    const text = canonical(value);
    if (states.get(id)?.text === text) return false;
    states.set(id, { value, text });
    const copy = toStored(value, Infinity);
    budget.note(keyOf(id), copy.error === undefined ? copy : { bytes: text.length, values: 1 });
    return true;
  }

  /** @param {string} id */
  function remove(id) {
    budget.free(keyOf(id));
    return states.delete(id);
  }

  return {
    /** @param {string} id */
    has: (id) => states.has(id),
    /** @param {string} id @returns {any} null if there is none */
    get: (id) => states.get(id)?.value ?? null,
    remove,

    /** @param {string} id @param {unknown} value @returns {import('./json-value.js').JsonError | null} why the state was not stored, or null */
    store(id, value) {
      const copy = toStored(value, LIMITS.stateBytes);
      if (copy.error !== undefined) return copy.error;
      if (!budget.put(keyOf(id), copy)) return 'too_large';
      states.set(id, { value: copy.json, text: canonical(copy.json) });
      return null;
    },

    /**
     * Replaces all states with the stored ones of a canvas.
     * @param {Map<string, any>} stored the states by widget
     * @returns {string[]} the widgets whose state has changed
     */
    take(stored) {
      const gone = [...states.keys()].filter((id) => !stored.has(id) && remove(id));
      return [...gone, ...[...stored].flatMap(([id, value]) => (read(id, value) ? [id] : []))];
    },
  };
}
