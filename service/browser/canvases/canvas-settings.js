// The dialog with the settings of a widget, which its template declares.

import { element } from '../shared/elements.js';
import { showModal } from '../shared/modal.js';
import { detailsOf } from '../shared/schema-details.js';
import { createSchemaForm } from '../shared/schema-form.js';
import { faultsOf } from '../widgets/widget-settings.js';
import { isComposing } from '../shared/typing.js';

/**
 * @param {object} options
 * @param {string} options.name of the widget
 * @param {import('../widgets/widget-settings.js').SettingsSchema} options.schema
 * @param {Record<string, any>} options.settings the stored settings
 * @param {(entered: Record<string, any>, seen: Record<string, any>) => void} options.save called with the values of the dialog now, and its values when it was opened
 */
export function openSettings({ name, schema, settings, save }) {
  const known = Object.fromEntries(Object.entries(settings).filter(([key]) => Object.hasOwn(schema.properties ?? {}, key)));
  const wrong = faultsOf(schema, known); // for these settings the widget uses the defaults
  const fitting = Object.fromEntries(Object.entries(known).filter(([key]) => !Object.hasOwn(wrong, key)));
  const form = createSchemaForm(schema, { labelOf: ({ title }) => title });
  form.restore({ text: JSON.stringify(fitting, null, 2) });
  form.edit(false); // if the fields can't show all of it, it stays JSON
  const seen = form.read().value;
  const problem = element('p', { class: 'problem', role: 'alert' }); // for JSON, because there are no fields to mark
  const dialog = element(
    'dialog',
    { class: 'settings-dialog', 'aria-labelledby': 'settings-title', on: { close: () => dialog.remove(), keydown: onKey } },
    element('h2', { id: 'settings-title' }, `Settings of ${name}`),
    form.node,
    problem,
    element('div', { class: 'dialog-actions' }, button('quiet', 'Cancel', () => dialog.close()), button('primary', 'Save', submit)),
  );

  function submit() {
    const { value, problems } = form.read();
    const faults = problems.length ? detailsOf(problems) : faultsOf(schema, value);
    problem.textContent = form.show(faults).join(' ');
    if (Object.keys(faults).length) return;
    save(value, seen);
    dialog.close();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (event.key !== 'Enter' || isComposing(event) || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    submit();
  }

  document.body.append(dialog);
  showModal(dialog);
}

/** @param {string} kind @param {string} label @param {() => void} act */
function button(kind, label, act) {
  return element('button', { type: 'button', class: kind, on: { click: act } }, label);
}
