// What a value of a slot may be, and when two values are equal.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { canonical, toJson } from '../../service/browser/widgets/json-value.js';
import { forSeeds, randomJson } from './generator.mjs';

test('a value of JSON comes back as an equal copy that shares nothing with it', () => {
  forSeeds(300, (random) => {
    const value = randomJson(random);
    const copy = toJson(value);
    assert.deepEqual(copy.json, value);
    assert.equal(copy.bytes, Buffer.byteLength(copy.text));
    if (typeof value === 'object' && value) assert.notEqual(copy.json, value);
  });
});

test('what JSON has no form for is refused', () => {
  const cycle = {};
  cycle.self = cycle;
  const values = [undefined, () => 1, Symbol('s'), 1n, NaN, Infinity, new Date(), new Map(), new Uint8Array(2), /x/];
  for (const value of [...values, new (class Point {})()]) {
    assert.deepEqual(toJson(value), { error: 'not_json' });
    assert.deepEqual(toJson({ deep: [value ?? cycle] }), { error: 'not_json' });
  }
  assert.deepEqual(toJson(cycle), { error: 'not_json' });
});

test('a property that is undefined is left out, an item that is undefined is refused', () => {
  assert.deepEqual(toJson({ a: undefined, b: 1 }).json, { b: 1 });
  assert.equal(toJson([undefined]).error, 'not_json');
  assert.equal(toJson(new Array(3)).error, 'not_json');
});

test('the limit counts bytes of the text', () => {
  assert.equal(toJson('é'.repeat(4), 10).bytes, 10);
  assert.equal(toJson('é'.repeat(5), 10).error, 'too_large');
  assert.equal(toJson({ text: 'x'.repeat(300_000) }).error, 'too_large');
});

test('values that would take for ever to write out are refused at once', () => {
  let shared = {};
  for (let level = 0; level < 60; level += 1) shared = { left: shared, right: shared };
  let nested = [];
  for (let level = 0; level < 50_000; level += 1) nested = [nested];
  const nothing = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [at, undefined]));
  for (const value of [shared, nested, new Array(4e9), new Array(100_000).fill(nothing)]) assert.equal(toJson(value).error, 'too_large');
});

test('a key named __proto__ changes no prototype', () => {
  const { json } = toJson(JSON.parse('{"__proto__": {"admin": true}}'));
  assert.equal(json.admin, undefined);
  assert.ok(Object.hasOwn(json, '__proto__'));
});

test('equal values have one canonical text, different values have two', () => {
  assert.equal(canonical({ b: [1, { d: 2, c: 3 }], a: '' }), canonical({ a: '', b: [1, { c: 3, d: 2 }] }));
  assert.notEqual(canonical([1, 2]), canonical([2, 1]));
  assert.notEqual(canonical({ a: '1' }), canonical({ a: 1 }));
  forSeeds(200, (random) => {
    const value = randomJson(random);
    assert.deepEqual(JSON.parse(canonical(value)), value);
  });
});
