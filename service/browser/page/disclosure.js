// A button that shows and hides a panel below it. The panel closes on Escape, on a press outside it,
// and when the focus leaves it.

import { element } from '../shared/elements.js';

/**
 * @param {{button: HTMLElement, panel: HTMLElement, class: string}} parts
 * @returns {{node: HTMLElement, close: () => void, stop: () => void}}
 */
export function createDisclosure({ button, panel, class: name }) {
  const node = element('div', { class: `disclosure ${name}`, on: { keydown: press, focusout: leave } }, button, panel);
  button.addEventListener('click', () => show(!isOpen()));
  document.addEventListener('pointerdown', pressOutside);
  show(false);

  function isOpen() {
    return button.getAttribute('aria-expanded') === 'true';
  }

  /** @param {boolean} open */
  function show(open) {
    button.setAttribute('aria-expanded', String(open));
    node.toggleAttribute('data-open', open);
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== 'Escape' || !isOpen()) return;
    event.stopPropagation(); // one press of Escape closes only this panel
    show(false);
    button.focus();
  }

  /** @param {FocusEvent} event */
  function leave({ relatedTarget }) {
    if (relatedTarget && !node.contains(/** @type {Node} */ (relatedTarget))) show(false);
  }

  /** @param {PointerEvent} event */
  function pressOutside({ target }) {
    if (!node.contains(/** @type {Node} */ (target))) show(false);
  }

  return {
    node,
    close: () => show(false),
    stop: () => document.removeEventListener('pointerdown', pressOutside),
  };
}
