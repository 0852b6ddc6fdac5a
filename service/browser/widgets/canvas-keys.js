// @ts-check
// The keys of a canvas: select, move, resize and remove widgets, and move the view.

import { boxAround } from './canvas-geometry.js';
import { leastSize } from './canvas-dragging.js';
import { arrowStep } from './canvas-gestures.js';
import { moveTo, shiftWidgets } from './canvas-group.js';
import { resizeBox } from './canvas-snapping.js';

/** @typedef {import('./canvas-dragging.js').Stage} Stage */

export const KEYS_TEXT =
  'Arrow keys move a widget, with Shift by more. Space chooses it, Control A chooses all, Escape none. Those that are chosen move together. Delete removes. Enter on a slot begins a connection, Enter on another slot makes it. On the canvas itself, with no widget chosen, the arrow keys move the view. Plus and minus zoom, zero shows all.';
export const READ_ONLY_TEXT = 'This canvas is read-only. On the canvas itself the arrow keys move the view. Plus and minus zoom, zero shows all.';

const ZOOM_STEP = 1.25;
const PAN = 4; // a key moves the view this many times as far as it moves a widget

/**
 * @param {Stage} stage
 * @param {{remove: (ids: string[]) => void, fit: () => void, boxOf: (id: string) => import('./canvas-box.js').Box | undefined}} actions
 * @returns {(event: KeyboardEvent) => void} a listener for the node of the canvas
 */
export function createKeys(stage, { remove, fit, boxOf }) {
  const { node, camera, selection, linking } = stage;

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was used */
  function press(event) {
    if (event.key === 'Escape') return escape();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a') return chooseAll();
    const target = /** @type {HTMLElement} */ (event.target);
    const id = target.closest('article')?.dataset.widgetId ?? '';
    if (target.matches('.shape-corner')) return resize(event, id);
    const onGrip = target.matches('.shape-grip');
    if (onGrip && event.key === ' ') return selection.toggle(id), true;
    if (!onGrip && target !== node) return false;
    return change(event, id) || look(event, target === node);
  }

  /** Moves the view, but nothing on the canvas. @param {KeyboardEvent} event @param {boolean} mayPan @returns {boolean} */
  function look(event, mayPan) {
    if (event.altKey || event.ctrlKey || event.metaKey) return false;
    const step = mayPan ? arrowStep(event) : null;
    if (step) camera.panBy(-PAN * step[0], -PAN * step[1]);
    else if (event.key === '+' || event.key === '=') camera.zoomBy(ZOOM_STEP);
    else if (event.key === '-') camera.zoomBy(1 / ZOOM_STEP);
    else if (event.key === '0') fit();
    else return false;
    return true;
  }

  function escape() {
    if (node.classList.contains('dragging')) return false; // Escape ends the drag
    return linking.cancel() || selection.clear();
  }

  function chooseAll() {
    selection.choose(stage.widgets().map(({ id }) => id));
    return true;
  }

  /** @param {KeyboardEvent} event @param {string} id of the widget that has the focus, or '' */
  function change(event, id) {
    const group = stage.groupOf(id);
    const step = arrowStep(event);
    const isRemoval = event.key === 'Delete' || event.key === 'Backspace';
    if (!group.length || !(step || isRemoval) || !stage.mayEdit()) return false;
    if (isRemoval) remove(group.map(({ id }) => id));
    if (!step) return true;
    const moved = shiftWidgets(group, ...step);
    stage.act(moveTo(moved));
    const box = moved.find((widget) => widget.id === id) ?? boxAround(moved);
    if (box) camera.reveal(box);
    return true;
  }

  /** @param {KeyboardEvent} event @param {string} id */
  function resize(event, id) {
    const widget = stage.widgets().find((one) => one.id === id);
    const [box, step] = [boxOf(id), arrowStep(event)];
    if (!widget || !box || !step || !stage.mayEdit()) return false;
    const { width, height } = resizeBox(widget, ...step, leastSize(box));
    stage.act({ type: 'resize', id, width, height });
    return true;
  }

  return (event) => {
    if (press(event)) event.preventDefault();
  };
}
