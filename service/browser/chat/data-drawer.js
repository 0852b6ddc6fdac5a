// The data beside the chat: a pane on wide screens, a drawer on narrow screens.

import { element, iconButton } from '../shared/elements.js';
import { showModal } from '../shared/modal.js';
import { createLazyView } from '../page/lazy-view.js';

const ROOM = '(min-width: 80em)';

/** @typedef {import('../page/view.js').ViewContext} ViewContext */

/** @param {ViewContext} context @param {(isEmpty: boolean) => void} onEmpty called with whether there is nothing to show */
export function createDataDrawer(context, onEmpty) {
  const wide = matchMedia(ROOM);
  const pane = element('aside', { class: 'pane records-pane', 'aria-label': 'Data' });
  const place = element('div', { class: 'drawer-body' });
  const heading = element('div', { class: 'pane-head' }, element('h2', {}, 'Data'), iconButton('cross', 'Close data', () => dialog.close()));
  const dialog = element('dialog', { class: 'data-drawer', 'aria-label': 'Data', on: { pointerdown: notePress, click: closeOutside } }, heading, place);
  const button = element('button', { type: 'button', class: 'quiet data-button', 'aria-haspopup': 'dialog', on: { click: open } }, 'Data');
  /** @type {import('../page/view.js').View | null} */
  let view = null;
  /** @type {EventTarget | null} */
  let pressed = null;

  function viewNow() {
    view ??= createLazyView(context, {
      title: '',
      styles: ['../data/records-pane.css', '../data/undo-line.css'],
      load: () => import('../data/records-pane.js').then(({ createRecordsPane }) => (/** @type {ViewContext} */ parts) => createRecordsPane(parts, (count) => onEmpty(count === 0))),
    });
    return view;
  }

  /** Moves the tables between pane and drawer; the same nodes are used, so that text in their fields stays. */
  function settle() {
    if (wide.matches) dialog.close();
    const target = wide.matches ? pane : place;
    if (view || wide.matches) target.append(viewNow().node);
  }

  function open() {
    place.append(viewNow().node);
    showModal(dialog); // Escape closes the drawer, and the focus returns to the button
  }

  /** @param {PointerEvent} event */
  function notePress({ target }) {
    pressed = target;
  }

  /** Closes the drawer on a click beside it, but not when a text is selected past its edge. @param {MouseEvent} event */
  function closeOutside({ target }) {
    if (target === dialog && pressed === dialog) dialog.close();
  }

  wide.addEventListener('change', settle);
  settle();
  return {
    pane,
    button,
    dialog,
    refresh: () => view?.refresh(),
    stop() {
      wide.removeEventListener('change', settle);
      dialog.close();
      view?.stop();
    },
  };
}
