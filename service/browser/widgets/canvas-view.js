// @ts-check
// The view of a canvas: the widgets in their places, their slots, and the connections between them. It shows a state
// and reports the operations that the user wants; it stores nothing.

import { element } from '../shared/elements.js';
import { createBox } from './canvas-box.js';
import { createCamera } from './canvas-camera.js';
import { letChoose, letDrag } from './canvas-dragging.js';
import { createGestures } from './canvas-frames.js';
import { removalOf } from './canvas-group.js';
import { KEYS_TEXT, READ_ONLY_TEXT, createKeys } from './canvas-keys.js';
import { createPoints, linesOf } from './canvas-line-ends.js';
import { createLines } from './canvas-lines.js';
import { createLinking } from './canvas-linking.js';
import { createOverlay } from './canvas-overlay.js';
import { createSelection } from './canvas-selection.js';
import { createSlots } from './canvas-slots.js';
import { widgetOf } from './canvas-state.js';

/**
 * @typedef {import('./canvas-state.js').Canvas} Canvas
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./canvas-state.js').Operation} Operation
 * @typedef {import('./canvas-box.js').Look} Look
 * @typedef {import('./slot-refs.js').SlotRef} SlotRef
 *
 * @typedef {object} ViewOptions
 * @property {(widget: CanvasWidget) => Look} lookOf a widget of an unknown template has a name and no slots
 * @property {(widget: CanvasWidget, into: HTMLElement) => void} mount puts the widget's frame into its box
 * @property {(id: string) => void} unmount
 * @property {(from: SlotRef, to: SlotRef) => import('./canvas-linking.js').Verdict} check
 * @property {(from: SlotRef, to: SlotRef) => void} connect
 * @property {(id: string) => void} configure opens the settings of a widget
 * @property {(operation: Operation) => void} act
 * @property {() => boolean} mayEdit called at each gesture; if false, the canvas is read-only
 * @property {(sentence: string) => void} announce
 */

const READ_ONLY = 'This canvas is read-only.';

/** @param {ViewOptions} options */
export function createCanvasView({ lookOf, mount, unmount, check, connect, configure, act, mayEdit, announce }) {
  const lines = createLines();
  const overlay = createOverlay();
  const surface = element('div', { class: 'canvas-surface' }, lines.node);
  const keys = element('p', { class: 'visually-hidden', id: 'canvas-keys' });
  const node = element(
    'section',
    { class: 'canvas', tabindex: '0', 'aria-label': 'Canvas', 'aria-describedby': 'canvas-keys', on: { focusin: onFocus, scroll: undoScroll } },
    keys,
    surface,
    overlay.node,
  );
  const camera = createCamera(node, surface);
  const linking = createLinking({ check, connect, announce, onChange: showSlots });
  const selection = createSelection({ announce, onChange: showChosen });
  /** @type {Map<string, import('./canvas-box.js').Box>} */
  const boxes = new Map();
  /** @type {Map<string, {x: number, y: number, width: number, height: number}>} the boxes of dragged widgets */
  const dragged = new Map();
  const slots = createSlots({
    boxes,
    widgetOf: (id) => state && widgetOf(state, id),
    lookOf,
    place,
    lookWhileLinking: linking.look,
  });
  /** @type {import('./canvas-dragging.js').Stage} */
  const stage = {
    node,
    camera,
    overlay,
    selection,
    mayEdit,
    widgets: () => state?.widgets ?? [],
    groupOf,
    preview,
    act,
    pointOf,
    showDraft: lines.showDraft,
    slotAt: slots.at,
    linking,
  };
  const look = { place, slotsOf: slots.of, reachOf: slots.reachOf };
  /** @type {Canvas | null} */
  let state = null;
  /** @type {Map<string, string>} why a connection does not work */
  let broken = new Map();

  /** @param {CanvasWidget} widget */
  function place(widget) {
    return { ...widget, ...dragged.get(widget.id) };
  }

  /** @param {Canvas} next @param {Map<string, string>} [reasons] by connection id: why the connection does not work */
  function show(next, reasons = new Map()) {
    state = next;
    broken = reasons;
    node.classList.toggle('read-only', !mayEdit());
    keys.textContent = mayEdit() ? KEYS_TEXT : READ_ONLY_TEXT;
    const ids = new Set(next.widgets.map(({ id }) => id));
    for (const id of [...boxes.keys()]) if (!ids.has(id)) drop(id);
    selection.keep(ids);
    for (const widget of next.widgets) (boxes.get(widget.id) ?? add(widget)).place(place(widget));
    lines.show(linesOf(next, look, broken));
    showSlots();
  }

  /** @param {CanvasWidget} widget */
  function add(widget) {
    const { id } = widget;
    const box = createBox(widget, lookOf(widget), {
      pressSlot: (slot) => (mayEdit() ? linking.press({ widgetId: id, slotId: slot.id }, slot) : announce(READ_ONLY)),
      remove: () => remove([id]),
      configure: () => configure(id),
    });
    boxes.set(id, box);
    surface.append(box.node); // never moved in the document after this, because a moved frame loads again
    letDrag(stage, box, id);
    mount(widget, box.frame);
    return box;
  }

  /** @param {string} id */
  function drop(id) {
    unmount(id);
    boxes.get(id)?.node.remove();
    boxes.delete(id);
    slots.forget(id);
    if (linking.source?.ref.widgetId === id) linking.cancel();
  }

  /** @param {string} id @returns {CanvasWidget[]} */
  function groupOf(id) {
    const isMember = !id || selection.has(id) ? selection.has : (/** @type {string} */ other) => other === id;
    return stage.widgets().filter((widget) => isMember(widget.id));
  }

  function showChosen() {
    for (const [id, box] of boxes) box.choose(selection.has(id));
  }

  /** @param {string[]} ids */
  function remove(ids) {
    const order = [...boxes.keys()];
    const last = order.indexOf(ids[ids.length - 1]);
    const neighbour = [...order.slice(last), ...order.slice(0, last).reverse()].find((id) => !ids.includes(id)) ?? '';
    act(removalOf(ids));
    (boxes.get(neighbour)?.grip ?? node).focus(); // so that the focus stays in the canvas
  }

  function fit() {
    const widgets = state?.widgets ?? [];
    camera.fit(widgets, widgets.map(slots.around));
  }

  /** Keeps what is visible: all widgets, or what is in the middle. @param {() => void} change of the view's size */
  function keepVisible(change) {
    const isFitted = camera.isFitted();
    camera.keepMiddle(change);
    if (isFitted) fit();
  }

  /** @param {SlotRef} [ref] @returns {import('./canvas-geometry.js').Point | undefined} */
  function pointOf(ref) {
    return createPoints(state, look)(ref);
  }

  function showSlots() {
    node.classList.toggle('linking', Boolean(linking.source));
    slots.showAll();
  }

  /** @param {CanvasWidget[]} widgets which are shown at these places while they are dragged; all others at their stored places */
  function preview(widgets) {
    const moved = new Set([...dragged.keys(), ...widgets.map(({ id }) => id)]);
    dragged.clear();
    for (const { id, x, y, width, height } of widgets) dragged.set(id, { x, y, width, height });
    for (const id of moved) {
      const widget = state && widgetOf(state, id);
      if (widget) boxes.get(id)?.place(place(widget), dragged.has(id));
    }
    lines.move(linesOf(state, look, broken, [...moved]));
  }

  /** Scrolls to a widget that got the focus with the keyboard. @param {FocusEvent} event */
  function onFocus({ target }) {
    const id = /** @type {HTMLElement} */ (target).closest('article')?.dataset.widgetId;
    const widget = id && state && widgetOf(state, id);
    if (widget && /** @type {HTMLElement} */ (target).matches(':focus-visible')) camera.reveal(widget);
    undoScroll();
  }

  /** Undoes the browser's own scrolling to the focused element: it would shift the lines. The camera moves instead. */
  function undoScroll() {
    node.scrollTo(0, 0);
  }

  node.addEventListener('keydown', createKeys(stage, { remove, fit, boxOf: (id) => boxes.get(id) }));
  letChoose(stage);
  const takeGesture = createGestures(node, camera);

  return {
    node,
    show,
    camera,
    /** @param {string} id */
    focus: (id) => boxes.get(id)?.grip.focus(),
    fit,
    keepVisible,
    /** @param {string} id of a widget @param {any} message with an event that the frame has passed on */
    pass(id, message) {
      const iframe = boxes.get(id)?.frame.querySelector('iframe');
      if (iframe) takeGesture(iframe, message);
    },
    /** @param {string} connectionId @param {boolean} on whether the line is emphasized */
    mark: (connectionId, on) => lines.mark(connectionId, on),
    /** @param {SlotRef} ref of a slot that has sent or received a value */
    noteValue(ref) {
      if (slots.noteValue(ref)) lines.move(linesOf(state, look, broken, [ref.widgetId])); // the slot is wider now
    },
    close() {
      for (const id of [...boxes.keys()]) drop(id);
      node.remove();
    },
  };
}
