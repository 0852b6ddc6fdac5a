// Forms from schemas: fields, what was typed as a body, refusals at their fields.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { detailsOf, innerReasons, linesOf, ownReasons } from '../../service/browser/shared/schema-details.js';
import { createSchemaForm } from '../../service/browser/shared/schema-form.js';
import { fieldOf } from '../../service/browser/shared/schema-fields.js';
import { bodyOf, emptyState, repairState, stateOf } from '../../service/browser/shared/schema-values.js';
import { emptyChoice, factsOf, isLong } from '../../service/browser/shared/schema-words.js';
import './plain-dom.mjs';

const TEXT = { type: 'string', minLength: 1, maxLength: 100 };
const EVENT = { type: 'object', properties: { title: TEXT, allDay: { type: 'boolean' } }, required: ['title'] };
const WHOLE = {
  type: 'object',
  properties: {
    note: TEXT,
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    kind: { type: 'string', enum: ['a', 'b'] },
    answer: { type: ['boolean', 'string'], enum: [true, false, 'basic'] },
    events: { type: 'array', items: EVENT, minItems: 1, maxItems: 5 },
    place: { type: 'object', properties: { city: TEXT } },
    extra: { type: 'object', additionalProperties: {} },
  },
  required: ['events'],
};
const whole = { ...fieldOf(WHOLE), required: true };
const typed = (/** @type {any} */ state) => bodyOf(whole, { ...emptyState(whole), events: [], ...state });

test('every kind of schema has its kind of field', () => {
  const kinds = {
    text: [{ type: 'string' }, { type: 'string', anyOf: [{ type: 'string', format: 'uri' }, { type: 'string', contentEncoding: 'base64' }] }, { type: ['string', 'null'] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    number: [{ type: 'number' }, { type: 'integer' }],
    boolean: [{ type: 'boolean' }],
    choice: [{ enum: ['a', 1, true] }, { const: 'a' }, { type: 'string', enum: ['a'] }],
    list: [{ type: 'array', items: { type: 'string' } }],
    group: [{ type: 'object', properties: { a: {} } }],
    variants: [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, { type: ['object', 'string'] }, { type: 'string', anyOf: [{ type: 'string', enum: ['a'] }, { type: 'string' }] }],
    json: [{}, true, { type: 'object' }, { type: 'array' }, { $ref: '#/x' }, { enum: [{}] }, { allOf: [{ type: 'string' }] }],
  };
  for (const [kind, schemas] of Object.entries(kinds)) {
    for (const schema of schemas) assert.equal(fieldOf(/** @type {any} */ (schema)).kind, kind, JSON.stringify(schema));
  }
});

test('what may be null says so, and is no variant', () => {
  assert.equal(fieldOf({ type: ['string', 'null'] }).nullable, true);
  assert.equal(fieldOf({ oneOf: [{ type: 'null' }, { type: 'string', description: 'x' }] }).about, 'x');
  assert.deepEqual(fieldOf({ enum: ['a', null] }).options, ['a']);
  assert.equal(fieldOf({ type: 'string' }).nullable, false);
  const three = fieldOf({ description: 'which', anyOf: [{ type: 'null' }, { type: 'string' }, { type: 'integer', title: 'Year' }] });
  assert.deepEqual(three.variants.map(({ title }) => title), ['Text', 'Year']);
  assert.equal(three.about, 'which');
});

test('required fields come first', () => {
  assert.equal(whole.fields[0].name, 'events');
  assert.deepEqual(whole.fields.slice(1).map(({ name }) => name), ['note', 'count', 'kind', 'answer', 'place', 'extra']);
});

test('what was not typed is not sent', () => {
  assert.deepEqual(typed({}), { value: {}, problems: [] });
  assert.deepEqual(bodyOf(whole, emptyState(whole)).value, {}, 'one empty event');
  assert.deepEqual(typed({ note: 'x', count: '4', kind: '"b"', answer: 'false' }).value, { note: 'x', count: 4, kind: 'b', answer: false });
});

test('an empty item keeps its place', () => {
  const events = [{ title: '', allDay: '' }, { title: 'x', allDay: 'true' }];
  assert.deepEqual(typed({ events }).value, { events: [{}, { title: 'x', allDay: true }] });
});

test('null is sent only where it was chosen', () => {
  const field = fieldOf({ type: ['string', 'null'] });
  assert.equal(bodyOf(field, null).value, null);
  assert.equal(bodyOf(field, '').value, undefined);
});

test('a chosen null is sent from inside an object, and shown again', () => {
  const field = fieldOf({ type: 'object', properties: { note: { type: ['string', 'null'] }, size: { type: ['integer', 'null'] } } });
  assert.deepEqual(bodyOf(field, { note: null, size: '' }).value, { note: null });
  assert.deepEqual(bodyOf(field, stateOf(field, { note: null, size: null })).value, { note: null, size: null });
});

test('null stays JSON where no control has a choice of null', () => {
  const place = { type: ['object', 'null'], properties: { city: TEXT } };
  const kind = { oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] };
  const field = fieldOf({ type: 'object', properties: { place, kind, names: { type: ['array', 'null'], items: TEXT } } });
  for (const name of ['place', 'kind', 'names']) assert.equal(stateOf(field, { [name]: null }), undefined, name);
  assert.deepEqual(repairState(field, { place: null, kind: null, names: null }), emptyState(field));
});

test('a number that would be another one when it is sent is refused', () => {
  for (const text of ['9007199254740993', '-9007199254740992', '1e999', '9'.repeat(400)]) {
    assert.deepEqual(typed({ count: text }).problems.map(({ path }) => path), [['count']], text);
  }
  assert.deepEqual([typed({ count: '9007199254740991' }).value, typed({ count: '1e300' }).value], [{ count: 9007199254740991 }, { count: 1e300 }]);
  assert.equal(typed({ count: `${'1'.repeat(100_000)}x` }).problems.length, 1, 'at once');
  const json = (/** @type {string} */ text) => typed({ extra: text }).problems.map(({ text: reason }) => reason.split(':')[0]);
  assert.deepEqual([json('{"id": [9007199254740993]}'), json('{"a": -1e999}')], [['9007199254740993'], ['-1e999']]);
  assert.deepEqual(json(JSON.stringify({ picture: 'A'.repeat(12_000_000) })), []);
  assert.deepEqual(json('{"9007199254740993": "\\"9007199254740993", "b": [1.5e3, -0, 123456789012345678.5]}'), []);
});

test('a text that its control would change stays JSON', () => {
  const day = { type: 'string', format: 'date' };
  const field = fieldOf({ type: 'object', properties: { line: TEXT, lines: { type: 'string' }, day, link: { type: 'string', format: 'uri' } } });
  const changed = [{ line: 'a\nb' }, { lines: 'a\r\nb' }, { day: 'tomorrow' }, { day: '2026-02-31' }, { link: ' https://a.example' }];
  for (const body of changed) assert.equal(stateOf(field, body), undefined, JSON.stringify(body));
  const kept = { line: ' a ', lines: 'a\nb', day: '2028-02-29', link: 'https://a.example' };
  assert.deepEqual(bodyOf(field, stateOf(field, kept)).value, kept);
});

test('a day of which a part was typed is not left out', () => {
  const form = createSchemaForm({ type: 'object', properties: { day: { type: 'string', format: 'date' } } });
  form.restore(null);
  const [input] = inputsIn(form.node);
  input.validity = { badInput: true };
  assert.deepEqual(form.read().problems, [{ path: ['day'], text: 'Choose a whole day, or empty it.' }]);
  input.validity = { badInput: false };
  assert.deepEqual(form.read(), { value: {}, problems: [] });
  input.value = '2026-12-01';
  assert.deepEqual(form.read(), { value: { day: '2026-12-01' }, problems: [] });
});

/** @param {any} node @returns {any[]} */
function inputsIn(node) {
  return node.childNodes.flatMap((/** @type {any} */ child) => (child.tag === 'input' ? [child] : inputsIn({ childNodes: child.childNodes ?? [] })));
}

test('a refusal that comes late takes the focus from nothing else', (t) => {
  t.after(() => delete document.activeElement);
  const form = createSchemaForm({ type: 'object', properties: { day: TEXT } });
  form.restore(null);
  const [send, elsewhere] = ['button', 'textarea'].map((tag) => document.createElement(tag));
  let count = 0;
  t.mock.method(Object.getPrototypeOf(send), 'querySelector', () => ({ focus: () => (count += 1), scrollIntoView() {} }));
  for (const [now, focused] of [[send, 1], [document.body, 2], [elsewhere, 2]]) {
    document.activeElement = now;
    form.show({ day: ['Is over.'] }, send);
    assert.equal(count, focused);
  }
});

test('a field may have a name that every object has', () => {
  const field = fieldOf({ type: 'object', properties: { constructor: { type: 'integer' }, toString: { type: 'string' } } });
  assert.deepEqual(bodyOf(field, stateOf(field, { toString: 'x' })).value, { toString: 'x' });
  assert.equal(stateOf(field, { valueOf: 1 }), undefined);
  const { problems } = bodyOf(field, { ...emptyState(field), constructor: 'x' });
  assert.deepEqual(linesOf(detailsOf(problems)), ['constructor: Write a number, such as 12 or 0.5.']);
  assert.equal(Object.hasOwn(Object, '_schema'), false);
});

test('numbers and JSON that are none are named at their place', () => {
  for (const text of ['x', '1,5', '0x10', '--1', 'Infinity', '.']) {
    assert.deepEqual(typed({ count: text }).problems.map(({ path }) => path), [['count']], text);
  }
  for (const text of ['12', ' 12 ', '-0.5', '.5', '1e3', '5.']) assert.deepEqual(typed({ count: text }).problems, [], text);
  const [problem] = typed({ extra: '{"a":' }).problems;
  assert.match(problem.text, /^This is not JSON: /);
  assert.deepEqual(typed({ extra: '{"a": 1}' }).value, { extra: { a: 1 } });
});

test('a body becomes a form and the same body again', () => {
  const bodies = [
    {},
    { note: 'x', count: 0.5, kind: 'a', answer: 'basic', events: [{ title: 'y' }, { title: 'z', allDay: false }] },
    { place: { city: 'Berlin' }, extra: { deep: [1, { a: null }] } },
  ];
  for (const body of bodies) assert.deepEqual(bodyOf(whole, stateOf(whole, body)).value, body);
});

test('a body that the fields have no place for is not shortened', () => {
  const bodies = [{ unknown: 1 }, { note: 5 }, { kind: 'c' }, { note: null }, { events: [{ title: 'x', other: 1 }] }, { place: {} }, [], 'x'];
  for (const body of bodies) assert.equal(stateOf(whole, body), undefined, JSON.stringify(body));
});

test('a variant is chosen by the value', () => {
  const field = fieldOf({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] });
  assert.deepEqual(stateOf(field, [1, 2]), { at: 1, state: ['1', '2'] });
  assert.deepEqual(bodyOf(field, { at: 1, state: ['1', '2'] }).value, [1, 2]);
  assert.deepEqual(stateOf(field, 'x'), { at: 0, state: 'x' });
});

test('a draft of an older form is mended', () => {
  const old = { note: 5, count: null, events: [{ title: 'x', gone: 'y' }], gone: 'z', place: 'text' };
  const mended = repairState(whole, old);
  assert.deepEqual(bodyOf(whole, mended).value, { events: [{ title: 'x' }] });
  for (const state of [null, undefined, 5, 'x', []]) assert.deepEqual(repairState(whole, state), emptyState(whole));
  const variants = fieldOf({ oneOf: [{ type: 'string' }, { type: 'number' }] });
  assert.deepEqual(repairState(variants, { at: 7, state: 'x' }), { at: 0, state: '' });
});

test('reasons are found at their place, and in lines', () => {
  const details = { note: ['Too long.'], events: { 0: { title: ['Missing.'] } }, _schema: ['Both.'] };
  assert.equal(ownReasons(details), 'Both.');
  assert.deepEqual(Object.keys(innerReasons(details)), ['note', 'events']);
  assert.deepEqual(linesOf(details), ['Both.', 'note: Too long.', 'events 1 title: Missing.']);
  assert.equal(ownReasons(undefined), '');
  assert.deepEqual(linesOf(undefined), []);
  assert.deepEqual(linesOf('No.', 'body'), ['body: No.']);
  assert.deepEqual(linesOf({ a: [{ odd: 1 }] }), ['a: {"odd":1}']);
});

test('problems of the form have the shape of the server’s', () => {
  const problems = [{ path: ['events', 0, 'count'], text: 'x' }, { path: ['note'], text: 'y' }, { path: [], text: 'z' }];
  assert.deepEqual(linesOf(detailsOf(problems)), ['z', 'events 1 count: x', 'note: y']);
});

test('facts are short, and leave out what nobody needs', () => {
  const facts = (/** @type {any} */ schema) => factsOf(fieldOf(schema));
  assert.equal(facts(WHOLE.properties.count), 'whole number, 1 to 9, default 3');
  assert.equal(facts({ type: 'string', minLength: 1, maxLength: 400000 }), '');
  assert.equal(facts({ type: 'string', minLength: 3, maxLength: 4000 }), '3 to 4000 characters');
  assert.equal(facts(WHOLE.properties.events), '1 to 5 items');
  assert.equal(facts({ type: 'array', items: TEXT, maxItems: 1 }), 'at most 1 item');
  assert.equal(facts({ type: 'number', minimum: 0 }), 'number, at least 0');
  assert.equal(facts({ type: 'string', format: 'date' }), 'date: 2026-12-01');
  assert.equal(emptyChoice(fieldOf({ enum: ['a', 'b'], default: 'b' })), 'b (default)');
  assert.equal(emptyChoice(fieldOf({ type: 'boolean', default: false })), 'no (default)');
  assert.equal(isLong(fieldOf({ type: 'string', maxLength: 4000 })), true);
  assert.equal(isLong(fieldOf({ type: 'string', maxLength: 4000, pattern: 'x' })), false);
  assert.equal(isLong(fieldOf(TEXT)), false);
});
