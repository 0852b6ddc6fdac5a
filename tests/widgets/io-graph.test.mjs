// Connections between slots: which are accepted, and which values go where.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { IoError, IoGraph, MAX_CONNECTIONS, MAX_PER_SLOT } from '../../service/browser/widgets/io-graph.js';
import { forSeeds, randomGraph, randomRef, randomWidgets } from './generator.mjs';

const slot = (id, direction, type = 'any', more = {}) => ({ id, direction, type, title: `${id}!`, ...more });
const both = (id) => ({ id, slots: [slot('in', 'input'), slot('out', 'output')] });
const ref = (text) => ({ widgetId: text.split('.')[0], slotId: text.split('.')[1] });

function graphOf(...widgets) {
  const graph = new IoGraph();
  for (const widget of widgets) graph.addWidget(typeof widget === 'string' ? both(widget) : widget);
  return graph;
}

const errorOf = (graph, from, to) => graph.check(ref(from), ref(to)).error;
const connect = (graph, from, to, given) => graph.connect(ref(from), ref(to), given);

test('each reason to refuse a connection has its own code and a sentence', () => {
  const graph = graphOf('a', 'b', 'c', { id: 'n', slots: [slot('number', 'output', 'number'), slot('text', 'input', 'string')] });
  connect(graph, 'a.out', 'b.in');
  const cases = {
    unknown_widget: ['x.out', 'b.in'], unknown_slot: ['a.out', 'b.none'], wrong_direction: ['a.in', 'b.in'],
    self: ['n.number', 'n.text'], duplicate: ['a.out', 'b.in'], input_taken: ['c.out', 'b.in'], cycle: ['b.out', 'a.in'],
  };
  for (const [code, [from, to]] of Object.entries(cases)) {
    const verdict = graph.check(ref(from), ref(to));
    assert.equal(verdict.error, code);
    assert.match(verdict.message, /^\S.* .*\.$/);
  }
});

test('a refused connection is thrown with its code, and changes nothing', () => {
  const graph = graphOf('a');
  assert.throws(() => connect(graph, 'a.out', 'a.in'), (error) => error instanceof IoError && error.code === 'self');
  assert.deepEqual(graph.connections, []);
});

test('types meet when they are equal or one is any, and the message names both', () => {
  const graph = graphOf({ id: 'o', slots: [slot('n', 'output', 'number'), slot('all', 'output')] },
    { id: 'i', slots: [slot('s', 'input', 'string'), slot('n', 'input', 'number')] });
  assert.equal(graph.check(ref('o.n'), ref('i.s')).message, '“n!” gives a number, but “s!” takes a string.');
  assert.equal(errorOf(graph, 'o.n', 'i.s'), 'type_mismatch');
  assert.ok(graph.check(ref('o.n'), ref('i.n')).ok && graph.check(ref('o.all'), ref('i.s')).ok);
});

test('an output must declare what an input requires, with the same type', () => {
  const place = { required: ['lat'], properties: { lat: { type: 'number' } } };
  const fits = (properties) => graphOf(
    { id: 'o', slots: [slot('out', 'output', 'object', { schema: { properties } })] },
    { id: 'i', slots: [slot('in', 'input', 'object', { schema: place })] },
  ).check(ref('o.out'), ref('i.in'));
  assert.ok(fits({ lat: { type: 'integer' }, name: { type: 'string' } }).ok);
  assert.match(fits({ lat: { type: 'string' } }).message, /“lat” as number/);
  assert.equal(fits({ name: { type: 'string' } }).error, 'type_mismatch');
});

test('an input takes as many connections as it says', () => {
  const graph = graphOf('a', 'b', 'c', { id: 'sum', slots: [slot('in', 'input', 'any', { maxConnections: 2 })] });
  connect(graph, 'a.out', 'sum.in');
  connect(graph, 'b.out', 'sum.in');
  assert.equal(errorOf(graph, 'c.out', 'sum.in'), 'input_taken');
});

test('a slot has at most 64 connections, a canvas 500', () => {
  const many = Array.from({ length: 600 }, (_, at) => `w${at}`);
  const graph = graphOf('a', 'b', ...many);
  for (const id of many.slice(0, MAX_PER_SLOT)) connect(graph, 'a.out', `${id}.in`);
  assert.equal(errorOf(graph, 'a.out', 'w64.in'), 'too_many');
  for (let at = MAX_PER_SLOT; at < MAX_CONNECTIONS - 1; at += 1) connect(graph, `w${at - 1}.out`, `w${at}.in`);
  connect(graph, 'w498.out', 'b.in');
  assert.equal(errorOf(graph, 'b.out', 'w599.in'), 'too_many');
});

test('no sequence of connections ever closes a circle', () => {
  forSeeds(150, (random) => {
    const { graph, widgets } = randomGraph(random);
    const rank = new Map(widgets.map(({ id }) => [id, 0]));
    for (let round = 0; round <= widgets.length; round += 1) {
      for (const { from, to } of graph.connections) rank.set(to.widgetId, Math.max(rank.get(to.widgetId), rank.get(from.widgetId) + 1));
    }
    for (const { from, to } of graph.connections) assert.ok(rank.get(from.widgetId) < rank.get(to.widgetId));
  });
});

test('a connection that was refused as a circle is accepted once the way back is gone', () => {
  const graph = graphOf('a', 'b', 'c');
  const { connection } = connect(graph, 'a.out', 'b.in');
  connect(graph, 'b.out', 'c.in');
  assert.equal(errorOf(graph, 'c.out', 'a.in'), 'cycle');
  assert.deepEqual(graph.disconnect(connection.id), connection);
  assert.ok(graph.check(ref('c.out'), ref('a.in')).ok);
});

test('an output reaches every connected input, and no other', () => {
  const graph = graphOf('a', 'b', 'c', 'd');
  connect(graph, 'a.out', 'b.in');
  connect(graph, 'a.out', 'c.in');
  const expected = ['b', 'c'].map((widgetId) => ({ widgetId, slotId: 'in', value: { n: 1 } }));
  assert.deepEqual(graph.setOutput('a', 'out', { n: 1 }), expected);
});

test('an equal value is not sent again, unless it is forced', () => {
  const graph = graphOf('a', 'b');
  connect(graph, 'a.out', 'b.in');
  graph.setOutput('a', 'out', { x: 1, y: 2 });
  assert.deepEqual(graph.setOutput('a', 'out', { y: 2, x: 1 }), []);
  assert.equal(graph.setOutput('a', 'out', { y: 2, x: 1 }, { force: true }).length, 1);
});

test('an input that is connected anew is given the value once more', () => {
  const graph = graphOf('a', 'b');
  const { connection } = connect(graph, 'a.out', 'b.in');
  graph.setOutput('a', 'out', { n: 1 });
  graph.disconnect(connection.id);
  assert.equal(connect(graph, 'a.out', 'b.in').deliveries.length, 1);
});

test('a late joiner gets the last of 2000 values, once', () => {
  const graph = graphOf('a', 'b');
  for (let n = 0; n < 2000; n += 1) graph.setOutput('a', 'out', { n });
  const last = [{ widgetId: 'b', slotId: 'in', value: { n: 1999 } }];
  assert.deepEqual(connect(graph, 'a.out', 'b.in').deliveries, last);
  assert.deepEqual(graph.setOutput('a', 'out', { n: 1999 }), []);
  assert.deepEqual(graph.lastInputs('b'), last);
});

test('of two sources the later value wins, also for a widget that was loaded again', () => {
  const graph = graphOf('a', 'b', { id: 'i', slots: [slot('in', 'input', 'any', { maxConnections: 2 })] });
  connect(graph, 'a.out', 'i.in');
  connect(graph, 'b.out', 'i.in');
  graph.setOutput('b', 'out', { from: 'b' });
  graph.setOutput('a', 'out', { from: 'a' });
  assert.deepEqual(graph.lastInputs('i'), [{ widgetId: 'i', slotId: 'in', value: { from: 'a' } }]);
  assert.equal(graph.setOutput('b', 'out', { from: 'b' }).length, 1);
});

test('a value that does not fit its output is refused with the reason', () => {
  const graph = graphOf({ id: 'a', slots: [slot('n', 'output', 'number')] }, 'b');
  const codeOf = (...call) => { try { graph.setOutput(...call); } catch (error) { return error.code; } };
  assert.equal(codeOf('a', 'n', { value: 'one' }), 'type_mismatch');
  assert.equal(codeOf('a', 'n', 1), 'type_mismatch');
  assert.equal(codeOf('a', 'n', { value: 1n }), 'not_json');
  assert.equal(codeOf('a', 'n', { value: 1, text: 'x'.repeat(300_000) }), 'too_large');
  assert.deepEqual(['x.n', 'a.x', 'b.in'].map((at) => codeOf(...at.split('.'), { value: 1 })), ['unknown_widget', 'unknown_slot', 'wrong_direction']);
});

test('an input of one type gets only the values of that type from an output of any', () => {
  const graph = graphOf('a', { id: 'b', slots: [slot('in', 'input', 'string')] });
  connect(graph, 'a.out', 'b.in');
  assert.deepEqual(graph.setOutput('a', 'out', { value: 1 }), []);
  assert.equal(graph.setOutput('a', 'out', { value: 'one' }).length, 1);
});

test('a connection that is switched off delivers nothing', () => {
  const graph = graphOf('a', 'b');
  graph.setOutput('a', 'out', {});
  assert.deepEqual(connect(graph, 'a.out', 'b.in', { enabled: false }).deliveries, []);
  assert.deepEqual(graph.setOutput('a', 'out', { n: 1 }), []);
  assert.deepEqual(graph.lastInputs('b'), []);
});

test('a widget takes its connections and values with it', () => {
  const graph = graphOf('a', 'b', 'c');
  connect(graph, 'a.out', 'b.in');
  connect(graph, 'b.out', 'c.in');
  graph.setOutput('b', 'out', { n: 1 });
  assert.equal(graph.removeWidget('b').length, 2);
  graph.addWidget(both('b'));
  assert.deepEqual(connect(graph, 'b.out', 'c.in').deliveries, []);
});

test('nobody can change a value or a connection of the graph from outside', () => {
  const graph = graphOf('a', 'b');
  const value = { list: [1] };
  const { connection } = connect(graph, 'a.out', 'b.in');
  const [sent] = graph.setOutput('a', 'out', value);
  value.list.push(2);
  sent.value.list.push(3);
  connection.to.widgetId = 'x';
  assert.deepEqual(graph.lastInputs('b')[0].value, { list: [1] });
});

test('whatever happens, an input was last given the value of one of its sources', () => {
  forSeeds(80, (random) => {
    const { graph, widgets } = randomGraph(random, randomWidgets(random).map(withAny));
    const last = new Map();
    for (let step = 0; step < 100; step += 1) {
      const from = randomRef(random, widgets);
      if (graph.slot(from).direction !== 'output') continue;
      for (const { widgetId, slotId, value } of graph.setOutput(from.widgetId, from.slotId, { value: step, ...from })) last.set(`${widgetId}.${slotId}`, value);
    }
    const replayed = widgets.flatMap(({ id }) => graph.lastInputs(id)).map((d) => [`${d.widgetId}.${d.slotId}`, d.value]);
    assert.deepEqual(new Map(replayed.sort()), new Map([...last].sort()));
  });
});

function withAny(widget) {
  return { ...widget, slots: widget.slots.map((each) => ({ ...each, type: 'any' })) };
}

test('two connections of the same slots have the same id, others have others', () => {
  const ids = new Set();
  for (let at = 0; at < 500; at += 1) ids.add(connect(graphOf('a', `b${at}`), 'a.out', `b${at}.in`).connection.id);
  assert.equal(ids.size, 500);
  assert.ok(ids.has(connect(graphOf('a', 'b7'), 'a.out', 'b7.in').connection.id));
});

test('a connection that is switched off delivers nothing, and the last value when it is on again', () => {
  const graphs = [true, false, true].map((enabled) => {
    const graph = graphOf('a', 'b');
    connect(graph, 'a.out', 'b.in', { id: 'c', enabled });
    return graph;
  });
  assert.equal(graphs[0].setOutput('a', 'out', { value: 1 }).length, 1);
  assert.deepEqual(graphs[1].takeValues(graphs[0]), []);
  assert.deepEqual(graphs[1].setOutput('a', 'out', { value: 2 }), []);
  graphs[1].setOutput('a', 'out', { value: 1 });
  assert.deepEqual(graphs[2].takeValues(graphs[1]), [{ widgetId: 'b', slotId: 'in', value: { value: 1 } }]);
});

test('an output has no more connections than it declares, and an input no more than a slot may have', () => {
  const many = Array.from({ length: MAX_PER_SLOT + 1 }, (_, at) => `o${at}`);
  const few = { id: 'few', slots: [slot('out', 'output', 'any', { maxConnections: 1 })] };
  const graph = graphOf(few, 'b', 'c', { id: 'm', slots: [slot('in', 'input', 'any', { maxConnections: 1000 })] }, ...many);
  connect(graph, 'few.out', 'b.in');
  assert.equal(errorOf(graph, 'few.out', 'c.in'), 'too_many');
  for (const id of many.slice(1)) connect(graph, `${id}.out`, 'm.in');
  assert.equal(errorOf(graph, 'o0.out', 'm.in'), 'too_many');
});

test('a widget and a connection are there once, and a stored connection keeps its id and its time', () => {
  const graph = graphOf('a', 'b', 'c');
  assert.throws(() => graph.addWidget(both('a')), { code: 'duplicate' });
  const facts = { id: 'x', createdAt: '2026-11-22T18:00:00Z', enabled: false };
  assert.deepEqual(connect(graph, 'a.out', 'b.in', facts).connection, { ...facts, from: ref('a.out'), to: ref('b.in') });
  assert.throws(() => connect(graph, 'a.out', 'c.in', { id: 'x' }), { code: 'duplicate' });
  assert.equal(graph.disconnect('y'), null);
});

test('only a value that is kept must be one that the server can store', () => {
  const graph = graphOf({ id: 'a', slots: [slot('kept', 'output', 'any', { persist: true }), slot('passed', 'output')] });
  assert.throws(() => graph.setOutput('a', 'kept', { text: '\ud800' }), { code: 'not_json' });
  assert.equal(graph.lastOutput(ref('a.kept')), undefined);
  graph.setOutput('a', 'passed', { text: '\ud800' });
  assert.deepEqual(graph.lastOutput(ref('a.passed')), { text: '\ud800' });
});
