// The newest messages of widgets: their number, their texts, the pause.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createMessageBuffer, entryOf } from '../../service/browser/widgets/message-buffer.js';

const output = (widgetId, value) => ({ type: 'received', widgetId, message: { type: 'widget-io-output-update', slotId: 'text', value } });
const details = (buffer, id) => buffer.rows(id).map((row) => row.details);

test('the newest are kept, newest first', () => {
  const buffer = createMessageBuffer(500);
  for (let number = 0; number < 2345; number += 1) buffer.add(output('a', { value: number }));
  const rows = buffer.rows();
  assert.equal(rows.length, 500);
  assert.equal(rows[0].details, '{"slotId":"text","value":{"value":2344}}');
  assert.equal(rows[499].details, '{"slotId":"text","value":{"value":1845}}');
});

test('the rows of one widget, or of no widget, are found', () => {
  const buffer = createMessageBuffer();
  for (const id of ['a', 'b', '', 'a']) buffer.add(output(id, {}));
  assert.deepEqual([undefined, 'a', 'b', '', 'c'].map((id) => buffer.rows(id).length), [4, 2, 1, 1, 0]);
  assert.deepEqual(buffer.widgetIds(), ['a', 'b', '']);
});

test('a pause keeps the rows, and counts what comes', () => {
  const buffer = createMessageBuffer(3);
  buffer.add(output('a', { value: 1 }));
  buffer.pause();
  for (const value of [2, 3, 4, 5]) buffer.add(output('a', { value }));
  assert.deepEqual(details(buffer), ['{"slotId":"text","value":{"value":1}}']);
  assert.deepEqual([buffer.isPaused, buffer.missed], [true, 4]);
  buffer.resume();
  assert.deepEqual(details(buffer), [5, 4, 3].map((value) => `{"slotId":"text","value":{"value":${value}}}`));
  assert.deepEqual([buffer.isPaused, buffer.missed], [false, 0]);
});

test('after clearing there is nothing, also in a pause', () => {
  const buffer = createMessageBuffer();
  buffer.add(output('a', {}));
  buffer.pause();
  buffer.add(output('a', {}));
  buffer.clear();
  assert.deepEqual([buffer.rows(), buffer.missed, buffer.isPaused], [[], 0, true]);
  buffer.resume();
  assert.deepEqual(buffer.rows(), []);
});

test('an entry says in words what became of a message, and holds no large or secret value', () => {
  const { summary } = entryOf({ type: 'drop', widgetId: 'a', message: 'widget-hello', reason: 'wrong_nonce', field: 'nonce' });
  assert.equal(summary, 'widget-hello: wrong_nonce (nonce)');
  assert.equal(entryOf({ type: 'call', widgetId: 'a', endpoint: 'search-web', success: false }).summary, 'search-web: failed');
  const large = entryOf(output('a', { text: 'x'.repeat(1e6), token: 'eyJ' }));
  assert.ok(large.details.length <= 2001);
  assert.ok(!entryOf(output('a', { token: 'eyJ' })).details.includes('eyJ'));
});
