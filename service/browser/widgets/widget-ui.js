// @ts-check
// The elements that several widgets share: a field with a button, and a list of choices.

import { element } from '../shared/elements.js';
import { isComposing } from '../shared/typing.js';

export { element } from '../shared/elements.js';
export { formatNumber } from '../shared/number-words.js';
export { day, formatTime, moment, shortDay, timeOfDay, toLocalInput } from '../shared/time-format.js';
export { createDraft } from './widget-draft.js';
export { createWidget } from './widget-page.js';
export { columnsOf, eventOf, itemsOf, personOf, placeOf, textOf } from './widget-values.js';

/** @typedef {{text: string, about?: string, mark?: Node, value: any}} Choice */

/** @param {string} label @param {() => void} act @param {Record<string, any>} [props] */
export function button(label, act, props = {}) {
  return element('button', { type: 'button', class: 'quiet', ...props, on: { click: act } }, label);
}

/**
 * A one-line field with a button. `act` gets the text, which is never empty.
 * @param {object} options
 * @param {string} options.label @param {string} options.action @param {(text: string) => void} options.act
 * @param {string} [options.placeholder] @param {string} [options.type]
 */
export function createSearchLine({ label, action, act, placeholder = '', type = 'search' }) {
  const attributes = { type, 'aria-label': label, placeholder, autocomplete: 'off', maxlength: 300 };
  const field = element('input', { class: 'field', ...attributes });
  const submit = () => {
    const text = field.value.trim();
    if (text) act(text);
    else field.focus();
  };
  const node = element('div', { class: 'widget-line' }, field, button(action, submit, { class: 'primary' }));
  onEnter(node, submit);
  return { node, field };
}

/**
 * Calls `act` when Enter is pressed in a one-line field. There is no form, because a sandboxed frame can't submit one.
 * @param {HTMLElement} fields @param {() => void} act
 */
export function onEnter(fields, act) {
  fields.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || isComposing(event) || /** @type {Element} */ (event.target).tagName !== 'INPUT') return;
    event.preventDefault();
    act();
  });
}

/** Whether all fields are valid; for the first invalid one, the browser shows the reason. @param {HTMLElement} fields */
export function isFilledIn(fields) {
  const wrong = /** @type {HTMLInputElement | null} */ (fields.querySelector(':invalid'));
  return !wrong || wrong.reportValidity();
}

/** @param {string} label @param {Node} control whose accessible name is the label's text */
export function labelled(label, control) {
  return element('label', { class: 'widget-label' }, element('span', {}, label), control);
}

/**
 * A list of buttons, one of which is pressed. The arrow keys, Home and End move between them; Tab leaves the list.
 * @param {string} label @param {Choice[]} choices @param {(value: any, pressed: HTMLElement) => void} choose
 */
export function createChoices(label, choices, choose) {
  const buttons = choices.map(choiceButton);
  const node = element(
    'ul',
    { class: 'widget-choices', 'aria-label': label, on: { keydown: moveFocus } },
    ...buttons.map((one) => element('li', {}, one)),
  );
  reachable(0);

  /** @param {Choice} choice @param {number} at */
  function choiceButton({ text, about, mark, value }, at) {
    const words = element('span', {}, element('bdi', {}, text), about && element('bdi', { class: 'about' }, about));
    const props = { type: 'button', 'aria-pressed': 'false', on: { click: () => press(at, value) } };
    return element('button', props, mark, words);
  }

  /** @param {number} at @param {any} value */
  function press(at, value) {
    buttons.forEach((one, other) => one.setAttribute('aria-pressed', String(other === at)));
    reachable(at);
    choose(value, buttons[at]);
  }

  /** @param {number} at */
  function reachable(at) {
    buttons.forEach((one, other) => (one.tabIndex = other === at ? 0 : -1));
  }

  /** @param {KeyboardEvent} event */
  function moveFocus(event) {
    const from = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined || !buttons[to]) return;
    event.preventDefault();
    reachable(to);
    buttons[to].focus();
  }

  return node;
}
