// @ts-check
// The message inspector of a canvas: shows the messages that widgets sent and received, and the dropped ones. It can be
// filtered, paused and cleared. While it is closed, nothing is drawn.

import { arrangeOnly, element } from '../shared/elements.js';
import { createMessageBuffer } from './message-buffer.js';
import { createMessageLine, createMessageList } from './message-log.js';

const ALL = 'All widgets';
const STRANGERS = 'Senders that are not widgets';

/** @param {{nameOf: (widgetId: string) => string | undefined}} options `nameOf` returns the name of a widget */
export function createMessageInspector({ nameOf }) {
  const buffer = createMessageBuffer();
  /** @type {Map<string, string>} names by id, including removed widgets */
  const names = new Map([['', 'a stranger']]);
  /** @type {WeakMap<import('./message-buffer.js').Entry, Node>} */
  const lines = new WeakMap();
  const filter = element('select', { class: 'field', 'aria-label': 'Show the messages of', on: { change: show } }, optionOf(ALL, '*'));
  const pauseButton = button('Pause', pauseOrResume);
  const empty = element('p', { class: 'empty' }, 'No messages yet.');
  const list = createMessageList();
  const head = element('header', {}, element('h2', {}, 'Messages'), filter, pauseButton, button('Clear', clear));
  const node = element('section', { class: 'message-inspector', 'aria-label': 'Messages of widgets', hidden: true }, head, empty, list);
  let isDue = false;

  function pauseOrResume() {
    if (buffer.isPaused) buffer.resume();
    else buffer.pause();
    show();
  }

  function clear() {
    buffer.clear();
    show();
  }

  function show() {
    isDue = false;
    if (node.hidden) return;
    showWidgets();
    const rows = buffer.rows(filter.value === '*' ? undefined : filter.value.slice(1));
    arrangeOnly(list, rows.map(lineOf));
    empty.hidden = rows.length > 0;
    list.hidden = rows.length === 0;
    pauseButton.textContent = buffer.isPaused ? `Resume (${buffer.missed} new)` : 'Pause';
  }

  /** Updates the options of the filter. The chosen widget stays an option. */
  function showWidgets() {
    const { value } = filter;
    const values = ['*', ...new Set([...buffer.widgetIds().map((id) => `=${id}`), value].filter((each) => each !== '*'))];
    const options = values.map((each) => optionOf(titleOf(each), each));
    if (sameOptions([...filter.options], options)) return; // changing the options would close an open list
    filter.replaceChildren(...options);
    filter.value = value;
  }

  /** @param {string} value of an option */
  function titleOf(value) {
    if (value === '*') return ALL;
    return value === '=' ? STRANGERS : (names.get(value.slice(1)) ?? value.slice(1));
  }

  /** @param {import('./message-buffer.js').Entry} entry */
  function lineOf(entry) {
    const line = lines.get(entry) ?? createMessageLine(entry, (id) => names.get(id) ?? id);
    lines.set(entry, line);
    return line;
  }

  return {
    node,
    /** @param {any} event of the host */
    add(event) {
      const name = nameOf(event.widgetId);
      if (name) names.set(event.widgetId, name);
      buffer.add(event);
      if (node.hidden || isDue) return;
      isDue = true;
      requestAnimationFrame(show); // once per frame, because thousands of messages may come
    },
    /** @param {boolean} on */
    show(on) {
      node.hidden = !on;
      show();
    },
  };
}

/** @param {string} text @param {string} value */
function optionOf(text, value) {
  return element('option', { value }, text);
}

/** @param {HTMLOptionElement[]} before @param {HTMLOptionElement[]} now */
function sameOptions(before, now) {
  return before.length === now.length && now.every(({ value, text }, at) => value === before[at].value && text === before[at].text);
}

/** @param {string} text @param {() => void} act */
function button(text, act) {
  return element('button', { type: 'button', class: 'quiet', on: { click: act } }, text);
}
