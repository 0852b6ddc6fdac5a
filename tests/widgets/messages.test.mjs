// The messages between a widget and its host: their parsers, on the samples that the schema is checked on.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import {
  ENDPOINT_NAME,
  LIMITS,
  TYPES,
  parseHostPort,
  parseHostWindow,
  parseWidgetPort,
  parseWidgetWindow,
} from '../../service/browser/widgets/messages.js';

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const samples = read('./messages.samples.json');
const schema = read('../../service/browser/widgets/messages.schema.json').$defs;
const parsers = {
  widgetWindow: parseWidgetWindow,
  hostWindow: parseHostWindow,
  widgetPort: parseWidgetPort,
  hostPort: parseHostPort,
};

for (const [channel, parse] of Object.entries(parsers)) {
  test(`${channel}: every sample is kept, or dropped for its reason`, () => {
    for (const data of samples[channel].kept) {
      assert.equal(parse(data).dropped, undefined, JSON.stringify(data));
    }
    for (const { data, reason, field } of samples[channel].dropped) {
      const { dropped, field: found } = parse(data);
      assert.deepEqual([dropped, found], [reason, field], JSON.stringify(data).slice(0, 200));
    }
  });

  test(`${channel}: every message of the schema has a sample`, () => {
    const names = Object.keys(schema).filter((name) => name.startsWith(`${channel}.`));
    const types = names.map((name) => schema[name].properties.type.const);
    const sampled = new Set(samples[channel].kept.map((data) => data.type));
    assert.deepEqual([...sampled].sort(), types.sort());
  });
}

test('every type is a message of the schema', () => {
  const described = Object.values(schema).map((each) => each.properties?.type?.const);
  for (const type of Object.values(TYPES)) assert.ok(described.includes(type), type);
});

test('a parsed message is a fresh object with the known keys', () => {
  const data = { type: TYPES.hello, v: 1, nonce: 'n', later: true };
  const { message } = parseWidgetWindow(data);
  assert.deepEqual(message, { type: TYPES.hello, v: 1, nonce: 'n' });
  assert.notEqual(message, data);
});

test('what has a prototype of its own is no message', () => {
  class Message {
    type = TYPES.getWidgets;
  }
  assert.equal(parseWidgetWindow(new Message()).dropped, 'not_object');
  assert.equal(parseWidgetWindow(new Map([['type', TYPES.getWidgets]])).dropped, 'not_object');
  const output = { type: TYPES.output, slotId: 's', value: new Date(0) };
  assert.equal(parseWidgetWindow(output).field, 'value');
});

test('every name that an endpoint can have is one, and no other address', () => {
  for (const name of ['current-weather', 'library_search', 'Shelf.v2/books', 'jobs/j_1']) assert.match(name, ENDPOINT_NAME);
  for (const name of ['', '..', 'a/../b', 'a/.', '.a', '__proto__', '/a', 'a//b', 'a?b', 'https://a.b', 'a b', 'a%2e', 'a\\b', 'a\n']) {
    assert.doesNotMatch(name, ENDPOINT_NAME);
  }
});

test('the schema names the same limits', () => {
  assert.equal(schema.slotId.maxLength, LIMITS.slotId);
  assert.equal(schema.id.maxLength, LIMITS.id);
  assert.equal(schema.endpoint.maxLength, LIMITS.endpoint);
  assert.equal(schema.endpoint.pattern, ENDPOINT_NAME.source);
  const { nonce, slots } = schema['widgetWindow.hello'].properties;
  assert.deepEqual([nonce.maxLength, slots.maxItems], [LIMITS.nonce, LIMITS.slots]);
  assert.equal(schema['widgetPort.resizeRequest'].properties.height.maximum, LIMITS.height);
  assert.equal(schema.query.maxProperties, LIMITS.queryEntries);
});
