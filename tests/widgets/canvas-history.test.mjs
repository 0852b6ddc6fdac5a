// Undo and redo, alone and while others change the same canvas.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createHistory } from '../../service/browser/widgets/canvas-history.js';
import { apply, canvasOf } from '../../service/browser/widgets/canvas-state.js';
import { importIo } from '../../service/browser/widgets/io-state.js';
import { connectionOf, forSeeds, randomCanvas, randomOperation, widgetAt } from './generator.mjs';

const START = canvasOf({ title: 'T', widgets: [widgetAt('a'), widgetAt('b')], io: { connections: [connectionOf('a.out', 'b.in')] } });
const move = (id, x) => ({ type: 'move', id, x, y: 0 });
const remove = (id) => ({ type: 'remove-widget', id });
const plain = (state) => JSON.parse(JSON.stringify(state));

/** A page with one canvas: `act` is by its user, `others` by another tab. */
function pageOf(state, options) {
  const history = createHistory(options);
  const page = {
    history,
    state,
    others: (operation) => void (page.state = apply(page.state, operation)),
    act(operation) {
      history.record(page.state, operation);
      page.others(operation);
    },
    undo: () => perform(history.undo(page.state)),
    redo: () => perform(history.redo(page.state)),
  };
  const perform = (operation) => operation !== null && (page.others(operation), true);
  return page;
}

test('undo goes back through all of one’s operations, redo goes forward again', () => {
  forSeeds(100, (random) => {
    const page = pageOf(randomCanvas(random));
    const states = [page.state];
    for (let step = 0; step < 20; step += 1) {
      page.act(randomOperation(random, page.state));
      if (page.state !== states.at(-1)) states.push(page.state);
    }
    const seen = [page.state];
    while (page.undo()) seen.unshift(page.state);
    assert.deepEqual(plain(seen), plain(states));
    while (page.redo());
    assert.deepEqual(plain(page.state), plain(states.at(-1)));
  });
});

test('undo leaves alone what others have done since', () => {
  const page = pageOf(START);
  page.act(move('a', 5));
  page.others(move('b', 7));
  page.others({ type: 'set-title', title: 'Theirs' });
  page.undo();
  assert.deepEqual([page.state.widgets.map(({ x }) => x), page.state.title], [[0, 7], 'Theirs']);
});

test('a step about a widget that others have removed is passed over', () => {
  const page = pageOf(START);
  page.act({ type: 'set-title', title: 'Mine' });
  page.act(move('a', 5));
  page.others(remove('a'));
  assert.ok(page.undo());
  assert.equal(page.state.title, 'T');
  assert.equal(page.history.canUndo, false);
});

test('whatever others do in between, undo and redo never fail and never touch their new widgets', () => {
  forSeeds(100, (random) => {
    const page = pageOf(randomCanvas(random));
    for (let step = 0; step < 60; step += 1) {
      const operation = randomOperation(random, page.state, random.maybe() ? 'mine' : 'theirs');
      if (operation.type === 'remove-widget' && operation.id.startsWith('theirs')) continue;
      random.pick([() => page.act(onlyMine(operation)), () => page.others(operation), page.undo, page.redo])();
      if (operation.widget?.id.startsWith('theirs')) page.others(operation);
    }
    const theirs = () => plain(page.state.widgets.filter(({ id }) => id.startsWith('theirs')));
    const before = theirs();
    while (page.undo());
    assert.deepEqual(theirs(), before);
  });
});

function onlyMine(operation) {
  return JSON.stringify(operation).includes('theirs') ? { type: 'batch', operations: [] } : operation;
}

test('a new operation ends what could be redone', () => {
  const page = pageOf(START);
  page.act(move('a', 5));
  page.undo();
  assert.ok(page.history.canRedo);
  page.act(move('b', 5));
  assert.equal(page.history.canRedo, false);
  assert.equal(page.redo(), false);
});

test('settings that were set in one go are taken back together, and nobody else’s', () => {
  const set = (settings) => ({ type: 'set-settings', id: 'a', settings });
  const page = pageOf(START);
  page.act({ type: 'batch', operations: [set({ text: 'Rome' }), set({ text: 'Rome', most: 5 })] });
  page.others(set({ text: 'Rome', most: 5, label: 'Home' }));
  page.undo();
  assert.deepEqual(page.state.widgets[0].settings, { label: 'Home' });
});

test('undo and redo of settings leave alone what others have set since', () => {
  const set = (settings) => ({ type: 'set-settings', id: 'a', settings });
  const page = pageOf(apply(START, set({ units: 'metric', most: 5 })));
  page.act(set({ units: 'imperial', most: 5, label: 'Home' }));
  page.others(set({ units: 'imperial', most: 9, label: 'Home' }));
  page.undo();
  assert.deepEqual(page.state.widgets[0].settings, { units: 'metric', most: 9 });
  page.others(set({ units: 'metric', most: 2 }));
  page.redo();
  assert.deepEqual(page.state.widgets[0].settings, { units: 'imperial', most: 2, label: 'Home' });
  page.others(set({ units: 'metric', most: 5 }));
  assert.equal(page.undo(), false); // others have taken it back already
});

test('an operation without effect is no step', () => {
  const page = pageOf(START);
  page.act(move('gone', 1));
  assert.equal(page.history.canUndo, false);
});

test('the oldest of more than 200 steps is forgotten', () => {
  const page = pageOf(START);
  for (let x = 1; x <= 205; x += 1) page.act(move('a', x));
  while (page.undo());
  assert.equal(page.state.widgets[0].x, 5);
});

const SLOTS = ['in', 'out'].map((id) => ({ id, direction: `${id}put`, type: 'any', title: id }));
const countBroken = ({ io, widgets }) => importIo(io, widgets.map(({ id }) => ({ id, slots: SLOTS }))).broken.length;

test('a widget comes back without the connection whose input another has taken', () => {
  const page = pageOf(apply(START, { type: 'add-widget', widget: widgetAt('c') }), { countBroken });
  page.act(remove('a'));
  const theirs = connectionOf('c.out', 'b.in', { createdAt: '2027' });
  page.others({ type: 'connect', connection: theirs });
  page.undo();
  assert.deepEqual([page.state.widgets.length, page.state.io.connections], [3, [theirs]]);
});

test('a connection that another made impossible is not drawn again', () => {
  const page = pageOf(START, { countBroken });
  page.act({ type: 'batch', operations: [move('a', 9), { type: 'disconnect', id: 'a.out>b.in' }] });
  page.others({ type: 'connect', connection: connectionOf('b.out', 'a.in') });
  page.undo();
  assert.deepEqual([page.state.widgets[0].x, page.state.io.connections.map(({ id }) => id)], [0, ['b.out>a.in']]);
});

test('of two connections that would now close a circle together, one comes back', () => {
  const page = pageOf(apply(START, { type: 'add-widget', widget: widgetAt('c') }), { countBroken });
  page.others({ type: 'connect', connection: connectionOf('b.out', 'c.in') });
  page.act({ type: 'batch', operations: ['a.out>b.in', 'b.out>c.in'].map((id) => ({ type: 'disconnect', id })) });
  page.others({ type: 'connect', connection: connectionOf('c.out', 'a.in') });
  page.undo();
  assert.deepEqual([page.state.io.connections.length, countBroken(page.state)], [2, 0]);
});
