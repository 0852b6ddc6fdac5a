// What a canvas stores of its widgets is what the server takes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createWiring } from '../../service/browser/widgets/host-wiring.js';
import { toStored } from '../../service/browser/widgets/storable.js';

const REFUSED = {
  NUL: 'a\0b',
  'half an emoji': '🎈'.slice(0, 1),
  'a key with NUL': { 'a\0': 1 },
  'the key of a prototype': JSON.parse('{"deep": [{"__proto__": {}}]}'),
  'the prototype of a constructor': { constructor: { prototype: {} } },
};
const KEPT = { id: 'kept', direction: 'output', type: 'any', title: 'Kept', persist: true };
const BRIEF = { ...KEPT, id: 'brief', persist: false };
const widget = (id) => ({ id, templateHandle: 'x', slots: [KEPT, BRIEF] });

/** A canvas with these widgets. */
function opened(...ids) {
  const wiring = createWiring({ onChange() {} });
  for (const id of ids) wiring.add(widget(id));
  return wiring;
}

for (const [name, value] of Object.entries(REFUSED)) {
  test(`${name} is refused by name, and the canvas keeps what it had`, () => {
    const wiring = opened('a');
    assert.equal(wiring.storeState('a', { text: 'before' }), null);
    assert.equal(wiring.storeState('a', { value }), 'not_json');
    assert.throws(() => wiring.current().setOutput('a', 'kept', { value }), { code: 'not_json' });
    wiring.current().setOutput('a', 'brief', { value }); // is not stored
    assert.deepEqual(wiring.exportState().widgets.a.state, { text: 'before' });
  });
}

test('what only looks like it is kept', () => {
  const value = { emoji: '🎈', constructor: 'Ada', prototype: {}, text: '\n\u0001', list: [{ constructor: [1] }] };
  assert.deepEqual(toStored(value).json, value);
  assert.equal(toStored([1, { a: 'x' }]).values, 6);
});

test('a canvas keeps what fits into one write, and frees what is gone', () => {
  const ids = Array.from({ length: 20 }, (_, n) => `w${n}`);
  const wiring = opened(...ids);
  const large = { text: 'x'.repeat(65_000) };
  const errors = ids.map((id) => wiring.storeState(id, large));
  assert.deepEqual(errors, ids.map((_, n) => (n < 12 ? null : 'too_large')));
  assert.ok(JSON.stringify(wiring.exportState()).length < 900_000);
  wiring.remove('w3');
  assert.equal(wiring.storeState('w12', large), null);
  assert.equal(wiring.storeState('w0', { text: 'less' }), null);
  const again = opened('w0', 'w1', 'new');
  again.importState(wiring.exportState());
  assert.equal(again.storeState('new', large), null);
});

test('the values that are kept count too, and so does their number', () => {
  const ids = ['a', 'b', 'c', 'd'];
  const wiring = opened(...ids);
  for (const id of ids) {
    wiring.current().setOutput(id, 'kept', { value: Array.from({ length: 4_000 }, () => 1) });
    wiring.keep(id);
  }
  const kept = ids.map((id) => wiring.exportState().widgets[id].values !== undefined);
  assert.deepEqual(kept, [true, true, true, false]);
  assert.equal(wiring.storeState('d', Array.from({ length: 4_000 }, () => 1)), 'too_large');
});
