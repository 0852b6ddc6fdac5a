// The page of one canvas: the bar, the canvas itself, and the list of its connections.

import { createCanvasBar } from './canvas-bar.js';
import { createGallery } from './canvas-gallery.js';
import { createCanvasRoom } from './canvas-room.js';
import { element, tryAgain } from '../shared/elements.js';
import { NetworkError, errorText } from '../shared/errors.js';
import { hrefOf } from '../page/route.js';
import { createListedConnections } from './canvas-connections.js';
import { createCanvasPanels } from './canvas-panels.js';
import { arrange } from '../widgets/canvas-layout.js';
import { newId } from '../shared/ids.js';
import { SLOTS_WIDTH, boxAround, boxesIn } from '../widgets/canvas-geometry.js';
import { GRID, snapToGrid } from '../widgets/canvas-snapping.js';

/**
 * @typedef {import('./canvas-gallery.js').Template} Template
 * @typedef {import('../page/view.js').ViewContext
 *   & {collection: import('../shared/live-collection.js').LiveCollection}} PageContext
 */

const NOTHING_YET = 'This canvas is empty. Add widgets, then connect an output of one with an input of another.';

/** @param {string} recordId @param {PageContext} context */
export function createCanvasPage(recordId, context) {
  const message = element('p', {});
  const retry = element('button', { type: 'button', class: 'quiet', on: { click: () => tryAgain(begin, retry, () => page?.focus()) } }, 'Try again');
  const notice = element('div', { class: 'notice', role: 'alert', hidden: true }, message, retry);
  const loading = element('p', { class: 'empty', role: 'status' }, 'Loading…');
  const place = element('div', { class: 'canvas-place' }, loading);
  const node = element('div', { class: 'canvas-page' }, notice, place);
  /** @type {ReturnType<typeof createOpenPage> | null} */
  let page = null;
  let stopped = false;

  async function begin() {
    notice.hidden = true;
    loading.textContent = 'Loading…';
    try {
      const { templates, canvases } = await context.transport.get('/api/widgets/templates');
      if (!stopped) open(templates, canvases.update);
    } catch (error) {
      // If the server can't be reached, the notice of the page says so.
      message.textContent = error instanceof NetworkError ? 'This canvas is not loaded yet.' : errorText(error);
      notice.hidden = false;
      loading.textContent = '';
    }
  }

  /** @param {Template[]} templates @param {'all' | 'own' | 'none'} editable */
  function open(templates, editable) {
    const byHandle = new Map(templates.map((one) => [one.handle, one]));
    const opened = createOpenPage(createCanvasRoom(recordId, byHandle, editable, context), templates, leave);
    page = opened;
    place.replaceChildren(opened.node);
    opened.begin();
  }

  /** Called when the canvas does not exist. */
  function leave() {
    page?.stop();
    page = null;
    const all = element('a', { href: hrefOf('canvas') }, 'See all canvases');
    place.replaceChildren(element('p', { class: 'page-note', role: 'status' }, 'There is no canvas at this address. ', all));
  }

  /** Tries again after a failure, because the server may be available again. */
  function again() {
    if (!notice.hidden && !stopped) begin();
  }

  const stopWatching = context.socket.onPhase(() => context.socket.phase === 'open' && again());
  return {
    node,
    begin,
    again,
    focus: () => page?.focus(),
    stop() {
      stopped = true;
      stopWatching();
      page?.stop();
    },
  };
}

/** @param {import('./canvas-room.js').CanvasRoom} room @param {Template[]} templates @param {() => void} onMissing */
function createOpenPage(room, templates, onMissing) {
  const { store, view, inspector } = room;
  const gallery = createGallery(templates, add);
  const connections = createListedConnections(room);
  const panels = createCanvasPanels(connections.node, inspector, view.keepVisible);
  const bar = createCanvasBar(room, {
    add: gallery.open,
    arrange: () => store.canvas && room.act(arrange(store.canvas)) && view.fit(),
    panels,
  });
  const empty = element('p', { class: 'canvas-empty', hidden: true }, NOTHING_YET);
  const body = element('div', { class: 'canvas-body' }, view.node, empty, connections.node, inspector.node);
  const node = element('div', { class: 'canvas-open', on: { keydown: onKey } }, bar.node, body, gallery.node);
  let fitted = false;

  function show() {
    if (store.phase === 'gone' && !store.canvas) return onMissing();
    bar.show();
    room.show();
    connections.show();
    empty.hidden = store.canvas?.widgets.length !== 0;
    if (fitted || !store.canvas?.widgets.length) return undefined; // an empty canvas is not fitted yet: another tab may add the first widget
    fitted = true;
    return view.fit();
  }

  /** @param {Template} template */
  function add({ handle, size }) {
    if (!store.canvas) return;
    const at = freePlace(store.canvas.widgets, view.camera.middle(), size);
    const id = newId();
    fitted = true;
    room.act({ type: 'add-widget', widget: { id, templateHandle: handle, ...at, ...size } });
    view.camera.reveal({ ...at, ...size });
    view.focus(id);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const hasOwnUndo = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
    if (hasOwnUndo || !(event.ctrlKey || event.metaKey)) return;
    const key = event.key.toLowerCase();
    if (key === 'z' && !event.shiftKey) room.undo();
    else if (key === 'y' || key === 'z') room.redo();
    else return;
    event.preventDefault();
  }

  const stopWatching = store.onChange(show);
  return {
    node,
    begin: show,
    focus: () => bar.focus(),
    stop() {
      stopWatching();
      panels.stop();
      room.stop();
    },
  };
}

/**
 * @param {import('../widgets/canvas-geometry.js').Box[]} boxes
 * @param {import('../widgets/canvas-geometry.js').Point} middle of the visible part
 * @param {{width: number, height: number}} size
 * @returns {{x: number, y: number}} in the middle if there is room, else to the right of all boxes
 */
function freePlace(boxes, middle, { width, height }) {
  const [x, y] = [snapToGrid(middle.x - width / 2), snapToGrid(middle.y - height / 2)];
  const wanted = { x: x - 2 * SLOTS_WIDTH, y: y - GRID, width: width + 4 * SLOTS_WIDTH, height: height + 2 * GRID };
  if (!boxesIn(boxes, wanted).length) return { x, y };
  const all = /** @type {import('../widgets/canvas-geometry.js').Box} */ (boxAround(boxes));
  return { x: snapToGrid(all.x + all.width + 2 * SLOTS_WIDTH + 4 * GRID), y: snapToGrid(all.y) };
}
