// A form for the JSON Schema of an object. It shows fields, or the whole body as JSON. The server validates.

import { element, focusInView, isFocusLost } from './elements.js';
import { detailsOf, linesOf } from './schema-details.js';
import { fieldOf } from './schema-fields.js';
import { createFields } from './schema-groups.js';
import { bodyOf, emptyState, repairState, stateOf } from './schema-values.js';

/**
 * @typedef {import('./schema-values.js').Reading} Reading
 * @typedef {ReturnType<typeof createSchemaForm>} SchemaForm
 */

const MISFIT = 'The fields have no place for all of this. It is sent as it stands here.';
const NOT_OBJECT = 'Write a JSON object: {…}.';

/**
 * @param {import('./schema-fields.js').JsonSchema} schema of an object
 * @param {{
 *   onChange?: () => void,
 *   labelOf?: (field: import('./schema-fields.js').Field) => string,
 *   controlOf?: import('./schema-frame.js').Place['controlOf'],
 * }} [options] `labelOf` gives the labels of the object's fields; by default they are the property names
 */
export function createSchemaForm(schema, { onChange = () => {}, labelOf, controlOf } = {}) {
  const field = { ...fieldOf(schema), required: true };
  const fields = createFields(field, { onChange, controlOf }, labelOf);
  const note = element('p', { class: 'hint', role: 'status' });
  const text = element('textarea', {
    class: 'field-input field-code',
    rows: '12',
    spellcheck: 'false',
    'aria-label': 'Body as JSON',
    on: { input: onChange },
  });
  const formBox = element('div', { class: 'fields' }, ...fields.nodes);
  const textBox = element('div', { hidden: true }, text, note);
  const node = element('div', { class: 'schema-form' }, formBox, textBox);
  fields.write(emptyState(field));

  /** @returns {Reading} */
  function read() {
    if (textBox.hidden) return bodyOf(field, fields.read());
    const reading = bodyOf({ ...field, kind: 'json' }, text.value);
    const isFit = reading.problems.length || (typeof reading.value === 'object' && reading.value && !Array.isArray(reading.value));
    return isFit ? reading : { value: {}, problems: [{ path: [], text: NOT_OBJECT }] };
  }

  /** @param {boolean} asText */
  function setMode(asText) {
    textBox.hidden = !asText;
    formBox.hidden = asText;
    note.textContent = '';
  }

  return {
    node,
    read,
    /** Whether the whole body is edited as JSON. */
    isText: () => !textBox.hidden,
    /** @param {boolean} asText @returns {boolean} false if the JSON does not fit into the fields */
    edit(asText) {
      const { value, problems } = read();
      if (asText === !textBox.hidden) return true;
      if (asText) text.value = JSON.stringify(value, null, 2);
      else {
        const state = problems.length ? undefined : stateOf(field, value);
        if (state === undefined) note.textContent = problems[0]?.text ?? MISFIT;
        if (state === undefined) return false;
        fields.write(state);
      }
      setMode(asText);
      return true;
    },
    /** All that the user has typed, to be stored as a draft. @returns {{text?: string, state?: any}} */
    draft: () => (textBox.hidden ? { state: fields.read() } : { text: text.value }),
    /** @param {{text?: unknown, state?: unknown} | null} draft which an older version may have stored */
    restore(draft) {
      setMode(typeof draft?.text === 'string');
      if (typeof draft?.text === 'string') text.value = draft.text;
      else fields.write(draft?.state ? repairState(field, draft.state) : emptyState(field));
    },
    /**
     * Marks the refused fields.
     * @param {any} details of the server; undefined removes all marks
     * @param {Element | null} [focused] the element that had the focus when the form was sent; the answer may come late
     * @returns {string[]} lines with the reasons that no field can show
     */
    show(details, focused = document.activeElement) {
      if (!textBox.hidden) return linesOf(details);
      const lines = fields.show(details);
      const wrong = /** @type {HTMLElement | null} */ (formBox.querySelector('[aria-invalid], [data-refused]'));
      if (wrong && (document.activeElement === focused || isFocusLost())) focusInView(wrong);
      return lines;
    },
    /** @param {Reading['problems']} problems @returns {string[]} */
    showProblems(problems) {
      return this.show(detailsOf(problems));
    },
  };
}
