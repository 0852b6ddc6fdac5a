// @ts-check
// The slots of the widgets on a canvas: where they are, which have a value, and how each looks while the user connects two.

import { slotPoints } from './canvas-geometry.js';

/**
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 * @typedef {import('./slot-types.js').Slot} Slot
 *
 * @typedef {object} Surroundings
 * @property {Map<string, import('./canvas-box.js').Box>} boxes by widget
 * @property {(id: string) => CanvasWidget | null | undefined} widgetOf
 * @property {(widget: CanvasWidget) => import('./canvas-box.js').Look} lookOf a widget that has no box yet
 * @property {(widget: CanvasWidget) => import('./canvas-geometry.js').Box} place where a widget is shown
 * @property {ReturnType<typeof import('./canvas-linking.js').createLinking>['look']} lookWhileLinking
 */

/** @param {Surroundings} surroundings */
export function createSlots({ boxes, widgetOf, lookOf, place, lookWhileLinking }) {
  /** @type {Map<string, Set<string>>} slots that have a value, by widget */
  const filled = new Map();

  /** @param {string} id of a widget */
  function showOf(id) {
    const widget = widgetOf(id);
    const box = boxes.get(id);
    if (!widget || !box) return;
    const points = slotPoints({ ...place(widget), x: 0, y: 0 }, box.look.slots);
    box.slots.forEach((button, at) => {
      button.node.style.top = `${points[at].y}px`;
      const { state, reason } = lookWhileLinking({ widgetId: id, slotId: button.slot.id }, button.slot);
      button.show(state, filled.get(id)?.has(button.slot.id) ?? false, reason);
    });
  }

  return {
    showOf,
    showAll() {
      for (const id of boxes.keys()) showOf(id);
    },
    /** @param {CanvasWidget} widget */
    of: (widget) => (boxes.get(widget.id)?.look ?? lookOf(widget)).slots,
    /** @param {CanvasWidget} widget @param {string} slotId @returns {number} how far the slot sticks out of the widget */
    reachOf: ({ id }, slotId) => boxes.get(id)?.slots.find(({ slot }) => slot.id === slotId)?.width() ?? 0,
    /** @param {CanvasWidget} widget @returns {import('./canvas-geometry.js').Box} the widget with its slots */
    around(widget) {
      const { x, y, width, height } = place(widget);
      const [left, right] = ['input', 'output'].map((direction) => {
        const side = boxes.get(widget.id)?.slots.filter(({ slot }) => slot.direction === direction) ?? [];
        return Math.max(0, ...side.map((one) => one.width()));
      });
      return { x: x - left, y, width: left + width + right, height };
    },
    /** @param {PointerEvent} event @returns {[SlotRef, Slot] | null} the slot under the pointer */
    at({ clientX, clientY }) {
      const under = document.elementsFromPoint(clientX, clientY);
      for (const [widgetId, { slots }] of boxes) {
        const hit = slots.find((slot) => under.includes(slot.node));
        if (hit) return [{ widgetId, slotId: hit.slot.id }, hit.slot];
      }
      return null;
    },
    /** Notes that a slot has a value. @param {SlotRef} ref @returns {boolean} whether this is its first one */
    noteValue({ widgetId, slotId }) {
      const slots = filled.get(widgetId) ?? new Set();
      if (slots.has(slotId)) return false; // thousands of values may come
      filled.set(widgetId, slots.add(slotId));
      showOf(widgetId);
      return true;
    },
    /** @param {string} id of a widget that was removed */
    forget: (id) => void filled.delete(id),
  };
}
