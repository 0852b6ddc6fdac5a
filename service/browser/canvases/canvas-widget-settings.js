// The settings of the widgets on a canvas: the dialog that changes them, and which of them a widget has got.

import { openSettings } from './canvas-settings.js';
import { canonical } from '../widgets/json-value.js';
import { settingsOf, storedSettings } from '../widgets/widget-settings.js';

/**
 * @typedef {import('../widgets/canvas-state.js').CanvasWidget} CanvasWidget
 *
 * @param {object} canvas
 * @param {(id: string) => CanvasWidget | undefined} canvas.widgetNamed
 * @param {(widget: CanvasWidget) => {name: string, settings: any}} canvas.lookOf
 * @param {(operation: import('../widgets/canvas-state.js').Operation) => boolean} canvas.act
 * @param {(id: string, settings: Record<string, any>) => void} canvas.send sends the values of all settings to a widget
 */
export function createWidgetSettings({ widgetNamed, lookOf, act, send }) {
  /** @type {Map<string, Record<string, any> | undefined>} the stored settings that each widget has got */
  const sent = new Map();

  /** @param {CanvasWidget} widget @returns {Record<string, any>} the values of all its settings */
  function valuesOf(widget) {
    return settingsOf(lookOf(widget).settings, widget.settings);
  }

  return {
    /** Opens the dialog with the settings of a widget. @param {string} id */
    open(id) {
      const widget = widgetNamed(id);
      if (!widget) return;
      const { name, settings: schema } = lookOf(widget);
      openSettings({ name, schema, settings: widget.settings ?? {}, save });

      /** Saves only the changed settings, because others may have changed some while the dialog was open. @param {Record<string, any>} entered @param {Record<string, any>} seen */
      function save(entered, seen) {
        const now = widgetNamed(id)?.settings ?? {};
        const settings = storedSettings(now, seen, entered);
        if (canonical(settings ?? {}) !== canonical(now)) act({ type: 'set-settings', id, settings });
      }
    },

    /** The values that a widget is mounted with. @param {CanvasWidget} widget */
    begin(widget) {
      sent.set(widget.id, widget.settings);
      return valuesOf(widget);
    },

    /** Sends a widget its settings if they have changed. @param {CanvasWidget} widget */
    update(widget) {
      if (sent.get(widget.id) === widget.settings) return;
      sent.set(widget.id, widget.settings);
      send(widget.id, valuesOf(widget));
    },

    /** @param {string} id of a widget that is removed */
    forget: (id) => void sent.delete(id),
  };
}
