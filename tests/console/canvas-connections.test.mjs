// The list of the connections of a canvas, as rows of earlier versions have them too.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rowsOf } from '../../service/browser/canvases/canvas-connections.js';
import { canvasOf } from '../../service/browser/widgets/canvas-state.js';

const words = {
  labelOf: ({ from, to }) => `${from?.widgetId} to ${to?.widgetId}`,
  reasonOf: (id) => (id === 'broken' ? 'Why not.' : ''),
};

test('what is no connection in a stored list is left out, and a broken one is shown', () => {
  const end = (widgetId) => ({ widgetId, slotId: 'x' });
  const stored = [null, 'text', {}, { id: 'broken' }, { id: 'off', from: end('a'), to: end('b'), enabled: false }];
  const { io } = canvasOf({ io: { connections: [...stored, { from: end('b'), to: end('c') }] } });
  const [broken, off, unnamed, ...others] = rowsOf(io.connections, words);
  assert.deepEqual(broken, { id: 'broken', label: 'undefined to undefined', reason: 'Why not.', enabled: true });
  assert.deepEqual(off, { id: 'off', label: 'a to b', reason: '', enabled: false });
  assert.deepEqual([unnamed.label, others], ['b to c', []]);
});
