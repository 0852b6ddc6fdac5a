// The dialog with the settings of a widget: what is stored stays, whatever else is stored beside it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openSettings } from '../../service/browser/canvases/canvas-settings.js';
import { storedSettings } from '../../service/browser/widgets/widget-settings.js';
import './plain-dom.mjs';

Object.assign(document.body.constructor.prototype, { showModal() {}, close() {} });
globalThis.addEventListener = () => {};

const SCHEMA = {
  type: 'object',
  properties: {
    units: { type: 'string', title: 'Units', default: 'metric', enum: ['metric', 'imperial'] },
    most: { type: 'integer', title: 'Most', default: 5, minimum: 1, maximum: 20 },
    label: { type: 'string', title: 'Label', default: '', maxLength: 100 },
  },
};

/** @param {any} node @param {string} tag @param {(node: any) => boolean} isIt @returns {any} */
function below(node, tag, isIt) {
  if (node.tag === tag && isIt(node)) return node;
  return node.childNodes?.map((child) => below(child, tag, isIt)).find(Boolean);
}

/** What the dialog has when nothing is changed, and what is stored then. @param {Record<string, any>} settings */
function savedAgain(settings) {
  const saved = [];
  openSettings({ name: 'Weather', schema: SCHEMA, settings, save: (entered, seen) => saved.push({ entered, stored: storedSettings(settings, seen, entered) }) });
  const actions = document.body.lastChild.childNodes.at(-1);
  actions.childNodes.at(-1).listeners.click();
  return saved;
}

test('settings as JSON with a name that is none are refused, and the dialog says why', () => {
  const dialog = () => document.body.lastChild;
  const saved = savedAgain({ most: 7, label: 'two\nlines' });
  const text = below(dialog(), 'textarea', ({ attributes }) => attributes['aria-label'] === 'Body as JSON');
  const save = dialog().childNodes.at(-1).childNodes.at(-1).listeners.click;
  for (const [typed, reason] of [['{"mots": 7}', /mots: .*no such setting/], ['{"most": 70}', /most: Must be at most 20/], ['{"most"', /not JSON/]]) {
    text.value = typed;
    save();
    assert.match(dialog().textContent, reason);
  }
  text.value = '{"most": 8}';
  save();
  assert.deepEqual(saved.map(({ entered }) => entered), [{ most: 7, label: 'two\nlines' }, { most: 8 }]);
});

test('Enter in a field saves the settings, unless an input method has it', () => {
  globalThis.HTMLInputElement = document.body.constructor;
  const saved = [];
  openSettings({ name: 'Weather', schema: SCHEMA, settings: { most: 7 }, save: (entered) => saved.push(entered) });
  const dialog = document.body.lastChild;
  const target = below(dialog, 'input', () => true);
  for (const isComposing of [true, false]) dialog.listeners.keydown({ key: 'Enter', isComposing, target, preventDefault() {} });
  assert.equal(saved.length, 1);
});

test('settings that nobody changes are saved as they are', () => {
  const settings = { units: 'imperial', most: 7, label: 'Home', older: { kept: true } };
  const { older, ...entered } = settings;
  assert.deepEqual(savedAgain(settings), [{ entered, stored: settings }]);
});

test('a setting that does not fit any more hides no other one', () => {
  const settings = { units: 'kelvin', most: 7 };
  assert.deepEqual(savedAgain(settings), [{ entered: { most: 7 }, stored: settings }]);
});

test('a setting that its field can not show is not changed', () => {
  const settings = { most: 7, label: 'two\nlines' };
  assert.deepEqual(savedAgain(settings), [{ entered: settings, stored: settings }]);
});
