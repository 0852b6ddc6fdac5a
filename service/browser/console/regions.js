// F6 moves the focus to the next region of the page, as in browsers and desktop programs; Shift+F6 to the previous one.

const REGIONS = 'nav.menu, .pane, .accounts, .canvas-list, .canvas-tools, .canvas, .connections-of-canvas, .message-inspector, .explorer-panes > *, .collection-list, .data-table, .record-panel';
const FOCUSABLE = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, [tabindex="0"]';

/** @param {HTMLElement} root the element with the regions @returns {() => void} removes the listeners */
export function letF6MoveBetweenRegions(root) {
  /** @type {WeakMap<Element, HTMLElement>} by region: the element that last had the focus */
  const last = new WeakMap();

  /** @returns {HTMLElement[]} the visible regions, in the order of the page */
  function regions() {
    return [...root.querySelectorAll(REGIONS)].map((node) => /** @type {HTMLElement} */ (node)).filter(isShown);
  }

  /** @param {FocusEvent} event */
  function note({ target }) {
    const node = /** @type {HTMLElement} */ (target);
    const region = node.closest(REGIONS);
    if (region && node !== region) last.set(region, node);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== 'F6' || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    move(event.shiftKey ? -1 : 1);
  }

  /** @param {1 | -1} way */
  function move(way) {
    const all = regions();
    const here = all.findIndex((region) => region.contains(document.activeElement));
    const start = here < 0 && way < 0 ? 0 : here;
    const region = all[(start + way + all.length) % all.length];
    if (region) (goalIn(region) ?? region).focus();
  }

  /** @param {HTMLElement} region */
  function goalIn(region) {
    const before = last.get(region);
    if (before && region.contains(before) && isShown(before)) return before;
    return [...region.querySelectorAll(FOCUSABLE)].map((node) => /** @type {HTMLElement} */ (node)).find(isShown);
  }

  root.addEventListener('focusin', note);
  document.addEventListener('keydown', press);
  return () => {
    root.removeEventListener('focusin', note);
    document.removeEventListener('keydown', press);
  };
}

/** @param {HTMLElement} node */
function isShown(node) {
  return node.checkVisibility() && node.offsetParent !== null;
}
