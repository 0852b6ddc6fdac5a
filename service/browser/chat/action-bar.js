// The action buttons of a message. Together they are one tab stop; the arrow keys move between them.

import { element } from '../shared/elements.js';

const WAYS = new Map([
  ['ArrowRight', 1],
  ['ArrowLeft', -1],
]);

/** @param {string} label @param {HTMLElement[]} buttons some of them may be hidden at times */
export function createActionBar(label, buttons) {
  const node = element('div', { class: 'message-actions', role: 'toolbar', 'aria-label': label }, ...buttons);
  /** @type {HTMLElement} */
  let stop = buttons[0];
  node.addEventListener('focusin', (/** @type {FocusEvent} */ { target }) => {
    stop = buttons.find((button) => button === target) ?? stop;
    update();
  });
  node.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
    const goal = goalOf(event.key);
    if (!goal) return;
    event.preventDefault();
    goal.focus();
  });

  const shown = () => buttons.filter((button) => !button.hidden);

  /** @param {string} key @returns {HTMLElement | undefined} */
  function goalOf(key) {
    const all = shown();
    if (key === 'Home') return all[0];
    if (key === 'End') return all.at(-1);
    const way = WAYS.get(key);
    return way ? all[(all.indexOf(stop) + way + all.length) % all.length] : undefined;
  }

  /** Call this when other buttons are hidden or shown, so that the tab stop is never a hidden button. */
  function update() {
    if (stop.hidden) stop = shown()[0] ?? stop;
    for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
  }

  update();
  return { node, update };
}

/**
 * The keys Up and Down move the focus to the actions of the previous or next message.
 * @param {HTMLElement} list
 */
export function letArrowsMoveBetweenMessages(list) {
  list.addEventListener('keydown', (event) => {
    const way = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const bar = /** @type {HTMLElement} */ (event.target).closest('.message-actions');
    if (!way || !bar) return;
    const bars = [...list.querySelectorAll('.message-actions')].filter((each) => each.checkVisibility());
    const goal = bars[bars.indexOf(bar) + way]?.querySelector('[tabindex="0"]');
    event.preventDefault();
    /** @type {HTMLElement | undefined} */ (goal)?.focus();
  });
}
