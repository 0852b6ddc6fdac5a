// A menu of actions below a button. Arrow keys move in it; Escape, another press of the button and a press elsewhere
// close it.

import { element, icon } from '../shared/elements.js';

/** @typedef {{icon: Parameters<typeof icon>[0], label: string, act: () => void}} MenuItem */

const GAP = 4; // pixels between the button and the menu, and around the menu
/** @type {WeakSet<HTMLElement>} buttons whose menu was closed by the beginning of a press: the click at its end must not open the menu again */
const pressed = new WeakSet();

/**
 * @param {HTMLElement} button @param {string} label of the menu @param {MenuItem[]} items
 * @param {HTMLElement} [origin] the element that gets the focus when the menu closes; by default the button
 */
export function showMenu(button, label, items, origin = button) {
  if (pressed.delete(button)) return origin.focus();
  const nodes = items.map((item) => {
    const props = { type: 'button', role: 'menuitem', tabindex: '-1', on: { click: () => choose(item) } };
    return element('button', props, icon(item.icon), item.label);
  });
  const menu = element('div', { class: 'popup-menu', role: 'menu', 'aria-label': label, popover: 'auto', on: { keydown: press } }, ...nodes);
  menu.addEventListener('toggle', (/** @type {any} */ { newState }) => {
    if (newState !== 'closed') return;
    button.removeEventListener('pointerdown', notePress);
    button.removeAttribute('aria-expanded');
    menu.remove();
  });
  button.parentElement?.append(menu); // in the same landmark
  menu.showPopover();
  button.addEventListener('pointerdown', notePress);
  button.setAttribute('aria-expanded', 'true');
  place(menu, button.getBoundingClientRect());
  nodes[0].focus();

  /** Called for a press of the button while the menu is open. The browser closes the menu, as for any press outside it. */
  function notePress() {
    pressed.add(button);
    document.addEventListener('pointerdown', () => pressed.delete(button), { capture: true, once: true }); // the next press
  }

  /** @param {MenuItem} item */
  function choose(item) {
    close();
    item.act();
  }

  function close() {
    menu.hidePopover();
    origin.focus();
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const at = nodes.indexOf(/** @type {any} */ (document.activeElement));
    const goal = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (goal !== undefined) nodes.at(goal % nodes.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.stopPropagation(); // one press of Escape closes only this menu
    event.preventDefault();
  }
}

/** Places the menu below the button, or above it if there is no room below. @param {HTMLElement} menu @param {DOMRect} rect */
function place(menu, rect) {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const below = rect.bottom + GAP;
  const top = below + height + GAP <= innerHeight ? below : Math.max(GAP, rect.top - GAP - height);
  menu.style.top = `${top}px`;
  menu.style.left = `${Math.max(GAP, Math.min(rect.left, innerWidth - width - GAP))}px`;
}
