// @ts-check
// The box of a widget on the canvas: a header to move it, a button for each slot, the frame, and a corner to resize it.

import { element, iconButton } from '../shared/elements.js';
import { createSlot } from './canvas-slot.js';
import { hasSettings } from './widget-settings.js';

/**
 * @typedef {import('./canvas-state.js').CanvasWidget} CanvasWidget
 * @typedef {import('./slot-types.js').Slot} Slot
 * @typedef {{name: string, icon: string, slots: Slot[],
 *   settings?: import('./widget-settings.js').SettingsSchema}} Look of a widget, from its template
 * @typedef {ReturnType<typeof createBox>} Box
 */

/** @param {string} icon a short text or the path of a picture */
export function createTemplateIcon(icon) {
  if (!icon.startsWith('/')) return element('span', { class: 'template-icon', 'aria-hidden': 'true' }, icon);
  const size = { width: '18', height: '18' };
  // Not draggable, because dragging the picture would end the dragging of the widget.
  return element('img', { class: 'template-icon', src: icon, alt: '', draggable: 'false', ...size });
}

/**
 * @param {CanvasWidget} widget @param {Look} look
 * @param {{pressSlot: (slot: Slot) => void, remove: () => void, configure: () => void}} actions
 */
export function createBox(widget, look, { pressSlot, remove, configure }) {
  const slots = look.slots.map((slot) => createSlot(slot, look.name, { press: () => pressSlot(slot) }));
  const side = (/** @type {string} */ direction) =>
    slots.filter(({ slot }) => slot.direction === direction).map(({ node }) => node);
  const grip = element(
    'div',
    {
      class: 'shape-grip',
      tabindex: '0',
      role: 'group',
      'aria-label': look.name,
      'aria-roledescription': 'widget',
      'aria-describedby': 'canvas-keys',
    },
    createTemplateIcon(look.icon),
    element('span', { class: 'shape-name' }, look.name),
  );
  const removeButton = iconButton('cross', `Remove ${look.name}`, remove);
  const settingsButton = hasSettings(look.settings) && iconButton('sliders', `Settings of ${look.name}`, configure);
  const frame = element('div', { class: 'shape-frame' });
  const corner = element('button', {
    type: 'button',
    class: 'shape-corner',
    'aria-label': `Resize ${look.name}`,
    title: 'Resize with a pointer or the arrow keys',
  });
  const node = element(
    'article',
    { class: 'shape', 'aria-label': look.name, data: { widgetId: widget.id } },
    element('header', { class: 'shape-head' }, grip, settingsButton, removeButton),
    element(
      'div',
      { class: 'shape-slots' },
      element('div', { class: 'shape-inputs' }, ...side('input')),
      element('div', { class: 'shape-outputs' }, ...side('output')),
    ),
    frame,
    corner,
  );

  let placed = '';

  return {
    node,
    grip,
    corner,
    frame,
    slots,
    look,
    /** @param {boolean} on whether the widget is one of the selected widgets */
    choose(on) {
      node.classList.toggle('chosen', on);
      grip.setAttribute('aria-label', on ? `${look.name}, chosen` : look.name);
    },
    /**
     * @param {{x: number, y: number, width: number, height: number}} place in canvas pixels
     * @param {boolean} [isMoving] whether the widget is being dragged
     */
    place({ x, y, width, height }, isMoving = false) {
      node.classList.toggle('moving', isMoving);
      const now = `${x} ${y} ${width} ${height}`;
      if (now === placed) return;
      placed = now;
      node.style.transform = `translate(${x}px, ${y}px)`;
      node.style.width = `${width}px`;
      node.style.height = `${height}px`;
    },
  };
}
