// Builds DOM nodes. Text is always set as text: no HTML string reaches the document.

/** @typedef {Node | string | null | undefined | false} Child */

const FIELDS = ['input', 'textarea']; // their text direction follows the words in them, unless `dir` is set

/**
 * @param {string} tag
 * @param {Record<string, any>} [props] attributes; `on` holds listeners, `data` data attributes,
 *   `value` and `checked` are set as properties; true sets an empty attribute, false and null set none
 * @param {...Child} children
 * @returns {any}
 */
export function element(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  if (FIELDS.includes(tag)) node.setAttribute('dir', 'auto');
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') listen(node, value);
    else if (name === 'data') Object.assign(node.dataset, value);
    else if (name === 'value' || name === 'checked') /** @type {any} */ (node)[name] = value;
    else if (value !== false && value != null) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...withoutEmpty(children));
  return node;
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function withoutEmpty(children) {
  return /** @type {(Node | string)[]} */ (children.filter((c) => c || c === ''));
}

/** @param {Node} node @param {Record<string, (event: any) => void>} handlers */
function listen(node, handlers) {
  for (const [type, handler] of Object.entries(handlers)) node.addEventListener(type, handler);
}

const PATHS = {
  brand: 'M3 4.5h10M3 8h10M3 11.5h6',
  plus: 'M8 3v10M3 8h10',
  pencil: 'M10.8 3.2l2 2L5.6 12.4l-2.7.7.7-2.7z',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  stop: 'M4.5 4.5h7v7h-7z',
  send: 'M8 13V3.5M4 7.3l4-4 4 4',
  check: 'M3.5 8.5l3 3 6-7',
  chevron: 'M6 4l4 4-4 4',
  down: 'M8 3v9.5M4 8.7l4 4 4-4',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  pin: 'M6 2.5h4l-.4 4.2L12 9.2v1.3H4V9.2l2.4-2.5zM8 10.5v3.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  download: 'M8 2.5V10M4.8 7l3.2 3.2L11.2 7M3 13.5h10',
  cross: 'M4 4l8 8M12 4l-8 8',
  dot: 'M8 8h.01',
  open: 'M9.5 3h3.5v3.5M13 3L8.5 7.5M6.5 3H3v10h10V9.5',
  link: 'M6.8 9.2l2.4-2.4M7.5 4.8l1-1a2.6 2.6 0 0 1 3.7 3.7l-1 1M8.5 11.2l-1 1a2.6 2.6 0 0 1-3.7-3.7l1-1',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z',
  markdown: 'M6.3 3L5 13M11 3L9.7 13M3 6.2h10.5M2.5 9.8H13',
  undo: 'M5.5 3L2.8 5.8l2.7 2.7M3 5.8h6.2a3.7 3.7 0 0 1 0 7.4H6',
  reload: 'M12.5 8a4.5 4.5 0 1 1-1.3-3.2M12.7 2.5v2.8H9.9',
  mail: 'M2.5 4h11v8.5h-11zM2.8 4.5L8 8.7l5.2-4.2',
  plane: 'M13.5 2.5L2.5 7l4.3 1.9L8.9 13.5zM13.5 2.5L6.8 8.9',
  archive: 'M2.5 3.5h11v3h-11zM3.5 6.5v6.5h9V6.5M6.5 9h3',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2.3v3M10.5 2.3v3',
  folder: 'M2.5 4h4l1.5 1.8h5.5v7.2h-11z',
  sliders: 'M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6M10 3.3v3.4M6 9.3v3.4',
  people: 'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM2 13.3c0-2.2 1.7-3.6 4-3.6s4 1.4 4 3.6M10.6 7.4a2.2 2.2 0 0 0 .2-4.2M11.8 9.9c1.4.4 2.2 1.6 2.2 3.4',
};

/**
 * A decorative drawing, hidden from screen readers. The control around it has the accessible name.
 * @param {keyof typeof PATHS} name
 */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const drawing = document.createElementNS(space, 'svg');
  drawing.setAttribute('viewBox', '0 0 16 16');
  drawing.setAttribute('class', `icon icon-${name}`);
  drawing.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', PATHS[name]);
  drawing.append(path);
  return drawing;
}

/**
 * @param {keyof typeof PATHS} name @param {string} label @param {(event: any) => void} act
 * @param {Record<string, any>} [props]
 */
export function iconButton(name, label, act, props = {}) {
  const base = { type: 'button', class: 'icon-button', 'aria-label': label, title: label };
  return element('button', { ...base, on: { click: act }, ...props }, icon(name));
}

/**
 * Switches a button off or on; the button's listener must check `isOff`. The attribute `disabled` is not used, because
 * it would take the focus from the button, and users of the keyboard or a screen reader would lose their place.
 * @param {HTMLElement} button @param {boolean} off
 */
export function setOff(button, off) {
  button.setAttribute('aria-disabled', String(off));
  button.classList.toggle('is-off', off);
}

/** @param {HTMLElement} button */
export function isOff(button) {
  return button.getAttribute('aria-disabled') === 'true';
}

/** Whether the focus is lost, because the focused element was removed or hidden. Only then may a late answer move the focus. */
export function isFocusLost() {
  const { activeElement } = document;
  return !activeElement || activeElement === document.body || activeElement.tagName === 'MAIN' || !activeElement.checkVisibility();
}

/**
 * Whether the page may move the focus to a text field by itself: on a touch screen, the focus would open the keyboard.
 * A computer without a mouse has no pointer at all, and is used with the keyboard.
 */
export function mayFocusFields() {
  return !matchMedia('(pointer: coarse)').matches;
}

/** Moves the focus to an element and shows it, also if it has the focus already: `focus()` does not scroll to it then in Firefox. @param {HTMLElement} node */
export function focusInView(node) {
  node.focus();
  node.scrollIntoView({ block: 'nearest' });
}

/**
 * Gives a pressed button the focus before its own listeners run. Safari leaves the focus on the page, so that Escape would not
 * reach an open panel, and a closed dialog could not give the focus back. A focus on another element stays where it is.
 */
export function focusPressedButtons() {
  const press = (/** @type {MouseEvent} */ { target, detail }) => {
    const button = target instanceof Element && target.closest('button');
    const { activeElement } = document;
    // A click without a press, by the keyboard or by a script, has no detail.
    if (button && detail > 0 && activeElement !== button && (!activeElement || activeElement.contains(button))) button.focus({ preventScroll: true });
  };
  document.addEventListener('click', press, true);
}

/**
 * Repeats work that has failed. The button for this disappears when it is pressed. If it had the focus, the focus
 * returns to the button when the work fails again; otherwise `focus` moves it to the result.
 * @param {() => unknown} work @param {HTMLElement} button @param {() => void} focus
 */
export async function tryAgain(work, button, focus) {
  await work();
  if (!isFocusLost()) return;
  if (button.checkVisibility()) button.focus();
  else focus();
}

/**
 * Puts the nodes into this order under their parent and moves as few of them as possible. In browsers that have
 * `moveBefore`, a focused node keeps the focus.
 * @param {any} parent @param {Node[]} nodes
 */
export function arrange(parent, nodes) {
  nodes.forEach((node, at) => {
    const current = parent.childNodes[at] ?? null;
    if (current === node) return;
    if (node.isConnected && parent.isConnected && parent.moveBefore) parent.moveBefore(node, current);
    else parent.insertBefore(node, current);
  });
}

/** Shows these nodes only, in this order. The others are removed first, so that fewer nodes are moved. @param {Element} parent @param {Node[]} nodes */
export function arrangeOnly(parent, nodes) {
  const kept = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!kept.has(child)) child.remove();
  arrange(parent, nodes);
}

/** Fits the height of a text area to its text, in browsers without `field-sizing`. @param {HTMLTextAreaElement} box */
export function fitHeight(box) {
  if (CSS.supports('field-sizing', 'content') || !box.isConnected) return;
  box.style.height = 'auto';
  box.style.height = `${box.scrollHeight + 2}px`;
}

/**
 * Fits the height of a text area when it is shown, gets another width, or is typed in.
 * @param {HTMLTextAreaElement} box
 * @returns {() => void} fits it after a change of its text by the page
 */
export function keepFitting(box) {
  const fit = () => fitHeight(box);
  if (CSS.supports('field-sizing', 'content')) return fit;
  let width = 0;
  const sizes = new ResizeObserver(() => {
    if (box.clientWidth === width) return;
    width = box.clientWidth;
    requestAnimationFrame(fit); // a change of the size here would be an error of the observer
  });
  sizes.observe(box);
  box.addEventListener('input', fit);
  return fit;
}

/**
 * Makes screen readers read out sentences. They read out a live region when its text changes.
 * @param {HTMLElement} region a live region of the page @param {(act: () => void) => unknown} [inNextFrame]
 */
export function createAnnouncer(region, inNextFrame = (act) => requestAnimationFrame(act)) {
  /** @type {Set<string>} the sentences for the next frame: several may come at once, such as the questions of two calls */
  const waiting = new Set();
  let isDue = false; // whether the next frame reads them out

  function show() {
    isDue = false;
    region.textContent = [...waiting].join(' ');
    waiting.clear();
  }

  return {
    /** @param {string} sentence */
    announce(sentence) {
      region.textContent = ''; // so that the same sentence is a change too
      waiting.add(sentence);
      if (!isDue) inNextFrame(show);
      isDue = true;
    },
    clear() {
      region.textContent = '';
      waiting.clear();
    },
  };
}

/**
 * Recognizes the second press of a double click in an area. The user meant it for the button that the first press has
 * removed or replaced, and not for the button that is in the same place now.
 * @param {HTMLElement} area @returns {() => boolean} whether the click that is being handled is a second press
 */
export function watchDoubleClicks(area) {
  let isSecond = false;
  let last = { moment: -Infinity, x: 0, y: 0, button: null };
  area.addEventListener('click', (/** @type {any} */ { target, detail, timeStamp, clientX, clientY }) => {
    const press = { moment: timeStamp, x: clientX, y: clientY, button: target.closest('button') };
    const isNear = press.moment - last.moment < 400 && Math.hypot(press.x - last.x, press.y - last.y) < 8;
    isSecond = detail > 0 && isNear && press.button !== last.button;
    if (detail > 0) last = press; // a key that presses a button has no count of clicks
  }, { capture: true });
  return () => isSecond;
}
