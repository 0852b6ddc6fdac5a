// @ts-check
// The kinds of dragging on a canvas: move widgets, resize with a corner, connect two slots, select with an area.

import { boxBetween, boxesIn, leastHeight } from './canvas-geometry.js';
import { draggable } from './canvas-gestures.js';
import { dragGroup, moveTo } from './canvas-group.js';
import { GRID, resizeBox } from './canvas-snapping.js';

/**
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./canvas-geometry.js').Point} Point
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 * @typedef {import('./slot-types.js').Slot} Slot
 *
 * @typedef {object} Stage the parts of the canvas that dragging uses
 * @property {HTMLElement} node
 * @property {ReturnType<typeof import('./canvas-camera.js').createCamera>} camera
 * @property {ReturnType<typeof import('./canvas-overlay.js').createOverlay>} overlay
 * @property {import('./canvas-selection.js').Selection} selection
 * @property {() => boolean} mayEdit
 * @property {() => CanvasWidget[]} widgets
 * @property {(id: string) => CanvasWidget[]} groupOf the widgets that move with a widget: all selected ones if it is selected, else only itself; with '': all
 *   selected ones
 * @property {(widgets: CanvasWidget[]) => void} preview shows these widgets at other places, and all others at their stored places
 * @property {(operation: import('./canvas-state.js').Operation) => void} act
 * @property {(ref: SlotRef) => Point | undefined} pointOf the point of a slot
 * @property {(ends: [Point, Point] | null) => void} showDraft
 * @property {(event: PointerEvent) => [SlotRef, Slot] | null} slotAt
 * @property {ReturnType<typeof import('./canvas-linking.js').createLinking>} linking
 */

const LEAST_WIDTH = 160;
const SNAP = 6; // screen pixels
const PANNED = { move() {}, end() {}, cancel() {} }; // the camera pans instead

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
function letMove(stage, grip, id) {
  const { node, camera, selection, preview, overlay } = stage;
  draggable(grip, node, () => {
    const group = stage.mayEdit() ? stage.groupOf(id) : [];
    const others = stage.widgets().filter((widget) => !group.includes(widget));
    if (!group.length) return null;
    const at = (/** @type {number} */ dx, /** @type {number} */ dy) =>
      dragGroup(group, others, dx / camera.zoom, dy / camera.zoom, SNAP / camera.zoom);
    const finish = () => {
      preview([]);
      overlay.showGuides([]);
    };
    return {
      move(dx, dy) {
        const { widgets, guides } = at(dx, dy);
        preview(widgets);
        overlay.showGuides(guides.map(({ axis, at: line }) => ({ axis, at: camera.inView({ x: line, y: line })[axis] })));
      },
      end(dx, dy) {
        finish();
        if (!selection.has(id)) selection.clear();
        stage.act(moveTo(at(dx, dy).widgets));
      },
      cancel: finish,
      press: (event) => (event.shiftKey ? selection.toggle(id) : selection.choose([id])),
    };
  });
}

/** Lets the user draw an area with Shift on an empty place. The widgets that the area touches become selected. @param {Stage} stage */
export function letChoose({ node, camera, selection, widgets, overlay }) {
  draggable(node, node, (start) => {
    if (!camera.isEmptyPlace(start)) return null;
    if (!start.shiftKey) return { ...PANNED, press: () => selection.clear() };
    const before = selection.ids;
    const area = (/** @type {PointerEvent} */ event) => boxBetween(camera.pointOf(start), camera.pointOf(event));
    const within = (/** @type {PointerEvent} */ event) => [...before, ...boxesIn(widgets(), area(event)).map(({ id }) => id)];
    return {
      move(dx, dy, event) {
        const { x, y, width, height } = area(event);
        overlay.showArea({ ...camera.inView({ x, y }), width: width * camera.zoom, height: height * camera.zoom });
      },
      end(dx, dy, event) {
        overlay.showArea(null);
        selection.choose(within(event));
      },
      cancel: () => overlay.showArea(null),
    };
  });
}

/** @param {Stage} stage @param {import('./canvas-box.js').Box} box @param {string} id */
function letResize({ node, camera, mayEdit, widgets, preview, act }, box, id) {
  draggable(box.corner, node, () => {
    const start = mayEdit() && widgets().find((widget) => widget.id === id);
    if (!start) return null;
    const at = (/** @type {number} */ dx, /** @type {number} */ dy) =>
      resizeBox(start, dx / camera.zoom, dy / camera.zoom, leastSize(box));
    return {
      move: (dx, dy) => preview([{ ...start, ...at(dx, dy) }]),
      end(dx, dy) {
        preview([]);
        const { width, height } = at(dx, dy);
        act({ type: 'resize', id, width, height });
      },
      cancel: () => preview([]),
    };
  });
}

/** @param {Stage} stage @param {import('./canvas-slot.js').SlotButton} button @param {string} id */
function letLink({ node, camera, mayEdit, pointOf, showDraft, slotAt, linking }, button, id) {
  const ref = { widgetId: id, slotId: button.slot.id };
  draggable(button.node, node, () => mayEdit() && {
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
  });
}
