// The form controls that contain other controls: an object, a list, a choice between variants.

import { element, iconButton, watchDoubleClicks } from './elements.js';
import { createInput } from './schema-controls.js';
import { innerReasons, linesOf } from './schema-details.js';
import { createFieldset, mark, newControlId } from './schema-frame.js';
import { emptyState } from './schema-values.js';

/**
 * @typedef {import('./schema-fields.js').Field} Field
 * @typedef {import('./schema-frame.js').Control} Control
 * @typedef {import('./schema-frame.js').Place} Place
 */

/** @param {Field} field @param {Place} place @returns {Control} */
function createControl(field, place) {
  const own = place.controlOf?.(field, place);
  if (own) return own;
  if (field.kind === 'group') return createGroup(field, place);
  if (field.kind === 'list') return createList(field, place);
  if (field.kind === 'variants') return createVariants(field, place);
  return createInput(field, place);
}

/**
 * The fields of an object, without a frame around them.
 * @param {Field} field @param {Omit<Place, 'label'>} place @param {(field: Field) => string} [labelOf]
 */
export function createFields(field, place, labelOf = ({ name }) => name) {
  /** @type {Map<string, Control>} */
  const controls = new Map();
  for (const each of field.fields) controls.set(each.name, createControl(each, { ...place, label: labelOf(each), neighbour }));

  /** @param {string} name */
  function neighbour(name) {
    const control = controls.get(name);
    const other = field.fields.find((each) => each.name === name);
    return control && other && { field: other, control };
  }

  return {
    nodes: [...controls.values()].map((control) => control.node),
    read: () => Object.fromEntries([...controls].map(([name, control]) => [name, control.read()])),
    /** @param {Record<string, any>} state */
    write(state) {
      for (const [name, control] of controls) control.write(state[name]);
    },
    /** @param {any} details @returns {string[]} */
    show: (details) => showInner(details, [...controls]),
  };
}

/**
 * Shows each reason at its control.
 * @param {any} details @param {[string, Control][]} controls by key @param {string} [label]
 * @returns {string[]} lines with the reasons that no control can show
 */
function showInner(details, controls, label) {
  const inner = innerReasons(details);
  const shown = controls.flatMap(([key, control]) => control.show(Object.hasOwn(inner, key) ? inner[key] : undefined));
  const keys = new Set(controls.map(([key]) => key));
  const unknown = Object.entries(inner).filter(([key]) => !keys.has(key));
  return [...shown, ...linesOf(Object.fromEntries(unknown), label)];
}

/** @param {Field} field @param {Place} place @returns {Control} */
function createGroup(field, { label, ...place }) {
  const { nodes, read, write, show } = createFields(field, place);
  const { node, problem } = createFieldset(field, label, element('div', { class: 'fields' }, ...nodes));
  return {
    node,
    read,
    write,
    show(details) {
      mark(problem, null, details);
      return show(details);
    },
  };
}

/** @param {Field} field @param {Place} place @returns {Control} */
function createList(field, { label, onChange, controlOf }) {
  const item = /** @type {Field} */ (field.item);
  const single = singular(label);
  /** @type {{node: HTMLElement, control: Control}[]} */
  let entries = [];
  const list = element('ul', { class: 'field-items' });
  const isSecondPress = watchDoubleClicks(list);
  const add = element('button', { type: 'button', class: 'quiet field-add', on: { click: append } }, `Add to ${label}`);
  const { node, problem } = createFieldset(field, label, element('div', {}, list, add));

  function append() {
    const entry = insert(emptyState(item));
    focusable(entry.node)?.focus();
    onChange();
  }

  /** @param {any} state */
  function insert(state) {
    const at = entries.length + 1;
    const control = createControl(item, { label: `${single} ${at}`, onChange, controlOf });
    const remove = iconButton('cross', `Remove ${single} ${at}`, () => removeEntry(entry));
    const entry = { node: element('li', { class: 'field-item' }, control.node, remove), control };
    control.write(state);
    entries.push(entry);
    list.append(entry.node);
    return entry;
  }

  /** The remaining entries are built again, because their labels have numbers. @param {{node: HTMLElement}} entry */
  function removeEntry(entry) {
    if (isSecondPress()) return;
    const at = entries.findIndex((each) => each === entry);
    const states = read().filter((_, index) => index !== at);
    write(states);
    const next = entries[Math.min(at, entries.length - 1)];
    (next ? focusable(next.node) : add)?.focus();
    onChange();
  }

  function read() {
    return entries.map(({ control }) => control.read());
  }

  /** @param {any[]} states */
  function write(states) {
    entries = [];
    list.replaceChildren();
    for (const state of states) insert(state);
  }

  return {
    node,
    read,
    write,
    show(details) {
      mark(problem, null, details);
      return showInner(details, entries.map(({ control }, at) => [String(at), control]), label);
    },
  };
}

/** @param {Field} field @param {Place} place @returns {Control} */
function createVariants(field, { label, onChange, controlOf }) {
  const id = newControlId();
  const options = field.variants.map(({ title }, at) => element('option', { value: String(at) }, title));
  const picker = element('select', { id, class: 'field-input', 'aria-label': `Kind of ${label}`, on: { change: pick } }, ...options);
  const box = element('div', { class: 'field-variant' });
  const { node, problem } = createFieldset(field, label, element('div', { class: 'fields' }, picker, box));
  /** @type {Control} */
  let control;
  put(0, emptyState(field.variants[0]));

  function pick() {
    put(Number(picker.value), emptyState(field.variants[Number(picker.value)]));
    onChange();
  }

  /** @param {number} at @param {any} state */
  function put(at, state) {
    const variant = { ...field.variants[at], about: '' };
    control = createControl(variant, { label: variant.title, onChange, controlOf });
    control.write(state);
    box.replaceChildren(control.node);
    picker.value = String(at);
  }

  return {
    node,
    read: () => ({ at: Number(picker.value), state: control.read() }),
    write: ({ at, state }) => put(at, state),
    show(details) {
      mark(problem, null, undefined);
      return control.show(details);
    },
  };
}

/** @param {HTMLElement} node @returns {HTMLElement | null} */
function focusable(node) {
  return node.querySelector(':is(input, textarea, select, button):not([hidden], [hidden] *)');
}

/** "events" as "event". @param {string} label */
function singular(label) {
  return label.length > 3 && /[^s]s$/.test(label) ? label.slice(0, -1) : label;
}
