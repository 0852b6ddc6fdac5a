// @ts-check
// The keys of a canvas: choosing, moving, resizing and removing widgets.

import { boxAround } from './canvas-geometry.js';
import { leastSize } from './canvas-dragging.js';
import { arrowStep } from './canvas-gestures.js';
import { moveTo, shifted } from './canvas-group.js';
import { resized } from './canvas-snapping.js';

/** @typedef {import('./canvas-dragging.js').Stage} Stage */

export const KEYS_TEXT =
  'Arrow keys move a widget, with Shift by more. Space chooses it, Control A chooses all, Escape none. Those that are chosen move together. Delete removes. Enter on a slot begins a connection, Enter on another slot makes it.';

/**
 * @param {Stage} stage
 * @param {{remove: (ids: string[]) => void, boxOf: (id: string) => import('./canvas-box.js').Box | undefined}} actions
 * @returns {(event: KeyboardEvent) => void} for the canvas's node
 */
export function createKeys(stage, { remove, boxOf }) {
  const { node, camera, selection, linking } = stage;

  /** @param {KeyboardEvent} event @returns {boolean} whether it meant something here */
  function press(event) {
    if (event.key === 'Escape') return escape();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a') return chooseAll();
    const target = /** @type {HTMLElement} */ (event.target);
    const id = target.closest('article')?.dataset.widgetId ?? '';
    if (target.matches('.shape-corner')) return resize(event, id);
    const onGrip = target.matches('.shape-grip');
    if (onGrip && event.key === ' ') return selection.toggle(id), true;
    return (onGrip || target === node) && change(event, id);
  }

  function escape() {
    if (node.classList.contains('dragging')) return false; // it ends the drag
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
    const moved = shifted(group, ...step);
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
    const { width, height } = resized(widget, 'se', ...step, leastSize(box));
    stage.act({ type: 'resize', id, width, height });
    return true;
  }

  return (event) => {
    if (press(event)) event.preventDefault();
  };
}
