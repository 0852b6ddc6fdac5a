// The names and looks of the widgets on a canvas, and the labels of connections between them.

/**
 * @typedef {import('./canvas-gallery.js').Template} Template
 * @typedef {import('../widgets/canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('../widgets/slot-refs.js').SlotRef} SlotRef
 */

const UNKNOWN = { icon: '?', slots: [], endpoints: [], permissions: [], collections: [], version: 1, settings: {} };

/** @param {Map<string, Template>} templates by handle @param {() => CanvasWidget[]} widgets of the canvas */
export function createNames(templates, widgets) {
  /** @type {Map<string, string>} the names of widgets by id; several widgets of one template are numbered */
  const names = new Map();

  /** @param {CanvasWidget} widget @returns {string} the name, which a new widget is given */
  function nameOf({ id, templateHandle }) {
    const known = names.get(id);
    if (known) return known;
    const base = templates.get(templateHandle)?.name ?? templateHandle;
    const taken = new Set(names.values());
    let name = base;
    for (let number = 2; taken.has(name); number += 1) name = `${base} ${number}`;
    names.set(id, name);
    return name;
  }

  /** @param {CanvasWidget} widget */
  function lookOf(widget) {
    return { ...UNKNOWN, ...templates.get(widget.templateHandle), name: nameOf(widget) };
  }

  /** @param {SlotRef} [ref] */
  function slotLabel(ref) {
    const widget = widgets().find(({ id }) => id === ref?.widgetId);
    if (!ref || !widget) return 'a widget that is gone';
    const { name, slots } = lookOf(widget);
    const slot = slots.find(({ id }) => id === ref.slotId);
    return `${slot?.title ?? ref.slotId} of ${name}`;
  }

  return {
    lookOf,
    /** @param {{from?: SlotRef, to?: SlotRef}} connection @returns {string} "Contact of Contacts to Person of Mail" */
    labelOf: ({ from, to }) => `${slotLabel(from)} to ${slotLabel(to)}`,
    /** @param {string} id of a widget @returns {string | undefined} undefined if it has no name yet */
    known: (id) => names.get(id),
    /** @param {string} id of a widget that is removed: its name may be given to another one */
    forget: (id) => void names.delete(id),
  };
}
