// The view of the canvases: the list, or one canvas.

import { createCanvasList, titleOf } from './canvas-list.js';
import { createCanvasPage } from './canvas-page.js';
import { element, isFocusLost, mayFocusFields } from '../shared/elements.js';
import { createLiveCollection } from '../shared/live-collection.js';
import { everyMinute } from '../shared/page-clock.js';
import { hrefOf } from '../page/route.js';

/** @typedef {import('../page/view.js').ViewContext} ViewContext */

/** @param {ViewContext} context @returns {import('../page/view.js').View} */
export function createCanvasesView(context) {
  const collection = createLiveCollection('canvases', context);
  const list = createCanvasList(collection, {
    open: (id) => (location.hash = hrefOf('canvas', id)),
    subject: context.subject,
    deletable: async () => (await context.transport.get('/api/widgets/templates')).canvases.delete,
  });
  const node = element('div', { class: 'canvases-view' });
  /** @type {ReturnType<typeof createCanvasPage> | null} */
  let page = null;
  /** @type {string | null} */
  let open = null;
  const stopWatching = collection.onChange(context.onTitle);
  const stopClock = everyMinute(list.show);

  /** Shows the list or the open canvas, and moves the focus there if it was in the part before. @param {string | null} left the canvas that was open before */
  async function showPart(left) {
    const hadFocus = node.contains(document.activeElement);
    const shown = page ?? list;
    node.replaceChildren(shown.node);
    await shown.begin();
    if (hadFocus && isFocusLost() && shown.node.isConnected && mayFocusFields()) shown.focus(left);
  }

  return {
    node,
    get title() {
      const row = open && collection.rows[open];
      return row ? titleOf(row) : 'Canvases';
    },
    show(id) {
      if (page && id === open) return;
      const left = open;
      page?.stop();
      open = id;
      page = id ? createCanvasPage(id, { ...context, collection }) : null;
      showPart(left);
      context.onTitle();
    },
    refresh() {
      collection.refresh();
      page?.again();
    },
    focus: () => (page ?? list).focus(),
    stop() {
      page?.stop();
      stopWatching();
      stopClock();
      list.stop();
      collection.stop();
    },
  };
}
