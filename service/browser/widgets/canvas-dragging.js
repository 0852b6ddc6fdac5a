// @ts-check
// What can be dragged on a canvas: a widget, its corner, a connection from slot to slot.

import { leastHeight } from './canvas-geometry.js';
import { draggable } from './canvas-gestures.js';
import { GRID, resized, snapMove } from './canvas-snapping.js';

/**
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./canvas-geometry.js').Box} Area
 * @typedef {import('./canvas-geometry.js').Point} Point
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 * @typedef {import('./slot-types.js').Slot} Slot
 *
 * @typedef {object} Stage the canvas, as far as dragging needs it
 * @property {HTMLElement} node
 * @property {{zoom: number, pointOf: (event: PointerEvent) => Point}} camera
 * @property {() => CanvasWidget[]} widgets
 * @property {(id: string, where: Area | null) => void} preview shows a widget elsewhere; null ends that
 * @property {(operation: import('./canvas-state.js').Operation) => void} act
 * @property {(ref: SlotRef) => Point | undefined} pointOf a slot
 * @property {(ends: [Point, Point] | null) => void} showDraft
 * @property {(event: PointerEvent) => [SlotRef, Slot] | null} slotAt
 * @property {ReturnType<typeof import('./canvas-linking.js').createLinking>} linking
 */

const LEAST_WIDTH = 160;
const SNAP = 6; // screen pixels

/** @param {Stage} stage @param {import('./canvas-box.js').Box} box @param {string} id */
export function letDrag(stage, box, id) {
  letMove(stage, box.grip, id);
  letResize(stage, box, id);
  for (const slot of box.slots) letLink(stage, slot, id);
}

/** @param {import('./canvas-box.js').Box} box @returns {{width: number, height: number}} */
export function leastSize({ look }) {
  return { width: LEAST_WIDTH, height: Math.ceil(leastHeight(look.slots) / GRID) * GRID };
}

/** @param {Stage} stage @param {HTMLElement} grip @param {string} id */
function letMove({ node, camera, widgets, preview, act }, grip, id) {
  draggable(grip, node, () => {
    const start = widgets().find((widget) => widget.id === id);
    if (!start) return null;
    const others = widgets().filter((widget) => widget !== start);
    const at = (/** @type {number} */ dx, /** @type {number} */ dy) => {
      const wanted = { ...start, x: start.x + dx / camera.zoom, y: start.y + dy / camera.zoom };
      const { x, y } = snapMove(wanted, others, SNAP / camera.zoom);
      return { x, y };
    };
    return {
      move: (dx, dy) => preview(id, { ...start, ...at(dx, dy) }),
      end(dx, dy) {
        preview(id, null);
        act({ type: 'move', id, ...at(dx, dy) });
      },
      cancel: () => preview(id, null),
    };
  });
}

/** @param {Stage} stage @param {import('./canvas-box.js').Box} box @param {string} id */
function letResize({ node, camera, widgets, preview, act }, box, id) {
  draggable(box.corner, node, () => {
    const start = widgets().find((widget) => widget.id === id);
    if (!start) return null;
    const at = (/** @type {number} */ dx, /** @type {number} */ dy) =>
      resized(start, 'se', dx / camera.zoom, dy / camera.zoom, leastSize(box));
    return {
      move: (dx, dy) => preview(id, at(dx, dy)),
      end(dx, dy) {
        preview(id, null);
        const { width, height } = at(dx, dy);
        act({ type: 'resize', id, width, height });
      },
      cancel: () => preview(id, null),
    };
  });
}

/** @param {Stage} stage @param {import('./canvas-slot.js').SlotButton} button @param {string} id */
function letLink({ node, camera, pointOf, showDraft, slotAt, linking }, button, id) {
  const ref = { widgetId: id, slotId: button.slot.id };
  draggable(button.node, node, () => ({
    move(dx, dy, event) {
      if (!linking.source) linking.begin(ref, button.slot);
      const [start, end] = [pointOf(ref), camera.pointOf(event)];
      if (start) showDraft(button.slot.direction === 'output' ? [start, end] : [end, start]);
    },
    end(dx, dy, event) {
      showDraft(null);
      const target = slotAt(event);
      if (target) linking.press(...target);
      else linking.cancel();
    },
    cancel() {
      showDraft(null);
      linking.cancel();
    },
  }));
}
