// @ts-check
// The button of a slot on the edge of a widget: outputs are on the right and red, inputs on the left and blue. Each
// has a symbol, its name and a word for its state.

import { element } from '../shared/elements.js';

/**
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {'idle' | 'source' | 'fits' | 'unfit'} SlotState while a connection is being made
 * @typedef {ReturnType<typeof createSlot>} SlotButton
 */

const STATE_WORDS = { idle: '', source: ', being connected', fits: ', fits', unfit: ', does not fit' };

/**
 * @param {Slot} slot @param {string} widgetName
 * @param {{press: () => void}} actions
 */
export function createSlot(slot, widgetName, { press }) {
  const isInput = slot.direction === 'input';
  const sign = element('span', { class: 'slot-sign', 'aria-hidden': 'true' }, isInput ? '◀' : '▶');
  const dot = element('span', { class: 'slot-dot', hidden: true, 'aria-hidden': 'true' });
  const text = element('span', { class: 'slot-name' }, slot.title);
  const button = element(
    'button',
    { type: 'button', class: `slot slot-${slot.direction}`, data: { slotId: slot.id }, on: { click: press } },
    ...(isInput ? [sign, text, dot] : [dot, text, sign]),
  );
  let known = '';
  let width = 0; // measured only when it changes, because a drag reads it in every frame

  /** @param {SlotState} state @param {boolean} hasValue @param {string} [reason] why the slot does not fit */
  function show(state, hasValue, reason = '') {
    const label = `${slot.title} ${slot.direction}, ${slot.type}, on ${widgetName}${hasValue ? ', has a value' : ''}${STATE_WORDS[state]}`;
    const now = `${label}${reason}`;
    if (now === known) return;
    known = now;
    button.dataset.state = state;
    button.setAttribute('aria-label', label);
    button.title = reason || label;
    button.setAttribute('aria-pressed', String(state === 'source'));
    button.setAttribute('aria-disabled', String(state === 'unfit'));
    dot.hidden = !hasValue;
    width = 0;
  }

  show('idle', false);
  return { node: button, slot, show, width: () => (width ||= button.offsetWidth) };
}
