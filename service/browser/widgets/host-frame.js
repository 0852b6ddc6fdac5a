// @ts-check
// The frame of a widget, with a notice in which the host reports problems of the widget. A frame is never moved to
// another parent, because the browser would load it again.

import { element } from '../shared/elements.js';

/**
 * @typedef {object} Frame
 * @property {HTMLElement} box around the frame and the notice
 * @property {HTMLIFrameElement} iframe
 * @property {(text: string, action: string, act: () => void) => void} show shows a notice with one button
 * @property {() => void} hide
 * @property {() => void} load loads the frame even if it is not visible
 * @property {() => boolean} hasFocus whether the focus is in the box
 * @property {() => void} focus moves the focus to the box; the next Tab leads into the frame
 * @property {() => void} remove
 */

/**
 * @param {object} options
 * @param {string} options.widgetId
 * @param {string} options.title names the frame for screen readers
 * @param {string} options.url with the nonce in its fragment
 * @param {string} [options.permissions] of the Permissions Policy; none by default
 * @param {import('./host-loading.js').Loading} options.loading limits how many frames load at once
 * @param {import('./host-lazy-loading.js').LazyLoading | null} [options.lazyLoading] for a frame that is loaded when it is near the visible part
 * @param {() => void} options.onLoad
 * @returns {Frame} not in the document yet
 */
export function createFrame({ widgetId, title, url, permissions = '', loading, lazyLoading, onLoad }) {
  const iframe = /** @type {HTMLIFrameElement} */ (
    element('iframe', {
      title,
      class: 'widget-frame',
      sandbox: 'allow-scripts', // never with allow-same-origin: the widget would have all the rights of the host
      allow: permissions,
      referrerpolicy: 'no-referrer',
      on: { load: loaded },
    })
  );
  iframe.src = url; // set before the frame is in the document, because it would load about:blank first
  const notice = element('div', { class: 'widget-notice', role: 'status', hidden: true });
  const box = element('div', { class: 'widget-box', tabindex: '-1', data: { widgetId } }, notice);
  let shown = ''; // the text of the notice; '' if it is hidden
  let leave = () => {};
  const enter = () => void (leave = loading.enter(() => box.prepend(iframe)));
  if (lazyLoading) leave = lazyLoading.wait(box, enter);
  else enter();

  function loaded() {
    leave();
    onLoad();
  }

  function focus() {
    box.focus({ preventScroll: true });
  }

  /** Changes the notice. If its button had the focus, the focus moves on: the button is removed. @param {() => void} change @param {() => void} [moveFocus] */
  function changeNotice(change, moveFocus = focus) {
    const hadFocus = notice.contains(document.activeElement);
    change();
    if (hadFocus) moveFocus();
  }

  return {
    box,
    iframe,
    load: () => lazyLoading?.loadNow(box),
    show(text, action, act) {
      if (shown === text) return; // a screen reader would read it out again, and a press of its button would be lost
      shown = text;
      const button = element('button', { type: 'button', class: 'quiet', on: { click: act } }, action);
      changeNotice(() => {
        notice.replaceChildren(element('span', {}, text), button);
        notice.hidden = false;
      }, () => button.focus());
    },
    hide() {
      shown = '';
      changeNotice(() => {
        notice.hidden = true;
        notice.replaceChildren();
      });
    },
    hasFocus: () => box.contains(document.activeElement),
    focus,
    remove() {
      leave();
      iframe.removeEventListener('load', loaded);
      box.remove();
    },
  };
}
