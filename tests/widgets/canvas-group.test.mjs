// Several widgets at once: which are chosen, how they move together, how they go and come back.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { dragGroup, moveTo, removalOf, removalWords, shiftWidgets } from '../../service/browser/widgets/canvas-group.js';
import { inverse } from '../../service/browser/widgets/canvas-inverse.js';
import { createSelection } from '../../service/browser/widgets/canvas-selection.js';
import { apply, canvasOf } from '../../service/browser/widgets/canvas-state.js';
import { connectionOf, forSeeds, randomCanvas } from './generator.mjs';

const widget = (id, x, y = 0) => ({ id, templateHandle: 't', x, y, width: 100, height: 100 });
const THREE = canvasOf({
  title: 'T',
  widgets: [widget('a', 3), widget('b', 240), widget('c', 600)],
  io: { connections: [connectionOf('a.out', 'b.in'), connectionOf('b.out', 'c.in')], widgets: { b: { state: 1 } } },
});

function selectionOf() {
  const said = [];
  let changes = 0;
  const selection = createSelection({ announce: (sentence) => said.push(sentence), onChange: () => (changes += 1) });
  return { selection, said, changes: () => changes };
}

test('a group keeps its distances where it snaps to another widget', () => {
  const [a, b, c] = THREE.widgets;
  const { widgets, guides } = dragGroup([a, b], [c], 261, 300, 6);
  assert.deepEqual(guides, [{ axis: 'x', at: 600 }]);
  assert.deepEqual(widgets.map(({ x, y }) => [x, y]), [[263, 304], [500, 304]]);
  assert.deepEqual(dragGroup([a, b], [], 0, 1, 6), { widgets: shiftWidgets([a, b], -3, 0), guides: [] });
});

test('moving and removing several is one operation, and its inverse puts all of it back', () => {
  for (const operation of [moveTo(shiftWidgets(THREE.widgets, 16, -16)), removalOf(['a', 'b']), removalOf(['c', 'b', 'a'])]) {
    const next = apply(THREE, operation);
    assert.notDeepEqual(next, THREE);
    assert.deepEqual(apply(next, inverse(THREE, operation)), THREE);
  }
  assert.deepEqual(apply(THREE, removalOf(['a', 'b'])).io, { version: 1, connections: [], widgets: {} });
  assert.deepEqual(moveTo([widget('a', 9, 8)]), { type: 'move', id: 'a', x: 9, y: 8 });
});

test('any group that is removed comes back as it was', () => {
  forSeeds(100, (random) => {
    const canvas = randomCanvas(random);
    const ids = random.shuffled(canvas.widgets.map(({ id }) => id)).filter(() => random.maybe());
    if (!ids.length) return;
    const removal = removalOf(ids);
    assert.deepEqual(apply(apply(canvas, removal), inverse(canvas, removal)), canvas);
  });
});

test('a choice is told once, by how many widgets are chosen', () => {
  const { selection, said, changes } = selectionOf();
  selection.choose(['a']);
  selection.toggle('b');
  selection.choose(['b', 'a']);
  assert.deepEqual(said, ['1 widget is chosen.', '2 widgets are chosen.']);
  selection.toggle('a');
  assert.deepEqual(selection.ids, ['b']);
  assert.deepEqual([selection.clear(), selection.clear()], [true, false]);
  assert.deepEqual([said.at(-1), changes()], ['No widget is chosen.', 4]);
});

test('a widget that is gone is no longer chosen, and nothing is said of it', () => {
  const { selection, said } = selectionOf();
  selection.choose(['a', 'b']);
  selection.keep(new Set(['b', 'c']));
  assert.deepEqual([selection.ids, said.length], [['b'], 1]);
});

test('what is removed is said, also on a canvas with an entry that is no connection', () => {
  const connections = [null, 'old', { id: 'c', from: { widgetId: 'a', slotId: 's' }, to: { widgetId: 'b', slotId: 't' } }];
  const canvas = /** @type {any} */ ({ title: '', widgets: [{ id: 'a' }, { id: 'b' }], io: { connections, widgets: {} } });
  const naming = { widget: (/** @type {any} */ { id }) => id.toUpperCase(), connection: (/** @type {any} */ { from, to }) => `${from.widgetId} to ${to.widgetId}` };
  const words = (/** @type {any} */ operation) => removalWords(operation, canvas, naming);
  assert.equal(words({ type: 'disconnect', id: 'c' }), 'Disconnected a to b.');
  assert.equal(words({ type: 'disconnect', id: 'other' }), '');
  assert.equal(words(removalOf(['a'])), 'Removed A.');
  assert.equal(words(removalOf(['a', 'b'])), 'Removed 2 widgets.');
  assert.equal(words({ type: 'set-title', title: 'New' }), '');
});
