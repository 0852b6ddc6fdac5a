// The settings of a widget: what is declared, what is stored, what the widget gets.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { faultsOf, hasSettings, settingsOf, storedSettings } from '../../service/browser/widgets/widget-settings.js';

const SCHEMA = {
  type: 'object',
  properties: {
    kind: { type: 'string', title: 'Kind', enum: ['bars', 'line'], default: 'bars' },
    most: { type: 'integer', title: 'Most', minimum: 2, maximum: 9, default: 5 },
    live: { type: 'boolean', title: 'Live', default: true },
    name: { type: 'string', title: 'Name', maxLength: 3, default: '' },
  },
};
const DEFAULTS = { kind: 'bars', most: 5, live: true, name: '' };

test('a widget gets each declared setting, by default where what is stored does not fit', () => {
  assert.deepEqual(settingsOf(SCHEMA), DEFAULTS);
  assert.deepEqual(settingsOf(SCHEMA, { kind: 'line', live: false, other: 1 }), { ...DEFAULTS, kind: 'line', live: false });
  for (const wrong of [{ kind: 'pie' }, { kind: null }, { most: 2.5 }, { most: 1 }, { most: '3' }, { live: 1 }, { name: 'long' }]) {
    assert.deepEqual(settingsOf(SCHEMA, wrong), DEFAULTS);
  }
  assert.deepEqual([settingsOf({}), settingsOf(undefined, { a: 1 })], [{}, {}]);
});

test('a name that every object has is no stored setting', () => {
  const schema = { properties: { toString: { type: 'string', title: 'T', default: 'x' } } };
  assert.equal(settingsOf(schema, {}).toString, 'x');
});

test('what is not declared stays stored, and what was left out goes', () => {
  assert.deepEqual(storedSettings({ kind: 'line', other: 1 }, { kind: 'line' }, { most: 3 }), { other: 1, most: 3 });
  assert.equal(storedSettings({ kind: 'line' }, { kind: 'line' }, {}), undefined);
});

test('what others have changed meanwhile stays, where the dialog has not changed it', () => {
  const seen = { kind: 'bars', most: 5, name: 'a' };
  assert.deepEqual(storedSettings({ kind: 'line', most: 7 }, seen, { kind: 'bars', most: 9, name: 'a' }), { kind: 'line', most: 9 });
  assert.deepEqual(storedSettings({ ...seen, live: false }, seen, { kind: 'bars', most: 5 }), { kind: 'bars', most: 5, live: false });
});

test('a value outside its limits is named with the reason', () => {
  assert.deepEqual(faultsOf(SCHEMA, { kind: 'line', most: 12 }), { most: ['Must be at most 9.'] });
  assert.deepEqual(faultsOf(SCHEMA, { most: 2.5 }), { most: ['Must be a whole number.'] });
  assert.deepEqual([hasSettings(SCHEMA), hasSettings({}), hasSettings()], [true, false, false]);
});
