// What widgets make of what arrives at their inputs, and what they say about errors.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adviceFor } from '../../service/browser/widgets/widget-advice.js';
import { columnsOf, eventOf, itemsOf, personOf, placeOf, textOf } from '../../service/browser/widgets/widget-values.js';
import { forSeeds, randomJson } from './generator.mjs';

test('no reader throws, whatever arrives', () => {
  forSeeds(300, (random) => {
    const value = randomJson(random);
    for (const read of [textOf, placeOf, personOf, eventOf, itemsOf]) read(value);
    columnsOf(itemsOf({ value: [value] }), 6);
  });
});

test('a place needs a name, and both or no coordinates', () => {
  assert.equal(placeOf({ latitude: 1, longitude: 2 }), null);
  assert.deepEqual(placeOf({ name: ' Malmö ', latitude: 55.6, country: '' }), { name: 'Malmö' });
  assert.deepEqual(placeOf({ name: 'x', latitude: 91, longitude: 0 }), { name: 'x' });
  assert.deepEqual(placeOf({ name: 'x', latitude: 0, longitude: -180 }), { name: 'x', latitude: 0, longitude: -180 });
});

test('a person needs a mail address, an event a title', () => {
  assert.equal(personOf({ name: 'Cleo' }), null);
  assert.deepEqual(personOf({ email: 'cleo@example.com', phone: 7 }), { name: '', email: 'cleo@example.com' });
  assert.equal(eventOf({ start: '2026-11-22' }), null);
  assert.deepEqual(eventOf({ title: 'Fair', attendees: ['a@b.c', 1], allDay: 1 }),
    { title: 'Fair', start: '', end: '', location: '', attendees: ['a@b.c'], allDay: false });
});

test('items are rows, and columns are those that a cell can show', () => {
  const items = itemsOf({ value: [{ a: 1, b: null, c: [1] }, 'text', { d: false }] });
  assert.deepEqual(items[1], { value: 'text' });
  assert.deepEqual(columnsOf(items, 6), ['a', 'value', 'd']);
  assert.deepEqual(columnsOf(items, 1), ['a']);
  assert.equal(itemsOf({ value: Array(600).fill(0) }).length, 500);
  assert.deepEqual(itemsOf({ value: 'no list' }), []);
});

test('a scalar travels under value, and nothing else is a text', () => {
  assert.deepEqual([{ value: 'a' }, { value: 4 }, 'b', { value: {} }, null].map(textOf), ['a', '4', 'b', '', '']);
});

test('each error says what happened and what to do', () => {
  const advice = (code, more = {}) => adviceFor({ code, message: 'Server’s words.', ...more });
  assert.equal(advice('oauth_required').remedy, 'connect');
  assert.equal(advice('reconnect_required').label, 'Reconnect');
  assert.equal(advice('approval_denied').label, 'Ask again');
  assert.equal(advice('not_configured').remedy, null);
  assert.deepEqual(advice('unknown_endpoint'), { text: 'Server’s words.', remedy: null, label: '' }); // they name the endpoint
  assert.match(advice('network').text, /can’t be reached/); // the client’s own code
  assert.deepEqual(advice('upstream_provider_error'), { text: 'Server’s words.', remedy: 'retry', label: 'Try again' });
  assert.match(advice('invalid_request', { fields: { city: ['Too short.'] } }).text, /city: Too short\./);
  assert.match(advice('rate_limited', { retryAfterMs: 2100 }).text, /Wait 3 s\./);
});

test('an error of the widget itself is not shown in its own words', (t) => {
  t.mock.method(console, 'error', () => {});
  assert.equal(adviceFor(new TypeError('x is undefined')).text, 'Something went wrong in this widget.');
});
