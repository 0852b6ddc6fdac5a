// What is said of a canvas that the server does not store.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { refusalText } from '../../service/browser/canvases/refusal-text.js';
import { ApiError } from '../../service/browser/shared/errors.js';

const CANVAS = { widgets: [{ id: 'a' }, { id: 'a.b' }], io: { connections: [{ id: 'c' }], widgets: {} } };
const NAMES = { widget: ({ id }) => `Note ${id}`, connection: ({ id }) => `of ${id}` };
const refused = (details) => new ApiError(400, { error: 'invalid_request', message: 'Not valid.', details });

const SAID = [
  [{ widgets: ['0.width: Too wide.'] }, 'Note a (width): Too wide.'],
  [{ widgets: ['1: Not an object.'] }, 'Note a.b: Not an object.'],
  [{ io: ['widgets.a.values.text: Too long.'] }, 'Note a (values.text): Too long.'],
  [{ io: ['widgets.a.b: Not an object.'] }, 'Note a.b: Not an object.'],
  [{ io: ['connections.0.from.slotId: Missing data for required field.'] }, 'Connection of c (from.slotId): Missing data for required field.'],
];

for (const [details, words] of SAID) {
  test(`the names in ${JSON.stringify(details)} are those that the user sees`, () => {
    assert.equal(refusalText(refused(details), CANVAS, NAMES), `This canvas is not stored. ${words} Remove what is named here, or discard your changes.`);
  });
}

test('what names nothing of the canvas is said as it came', () => {
  assert.equal(refusalText(refused({ title: ['Too long.'] }), CANVAS, NAMES), 'Not valid. title: Too long.');
  assert.equal(refusalText(refused({ widgets: ['Too many.'] }), CANVAS, NAMES), 'Not valid. widgets: Too many.');
  assert.equal(refusalText(new ApiError(403, { error: 'forbidden', message: 'No.' }), CANVAS, NAMES), 'No.');
});
