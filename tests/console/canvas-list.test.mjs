// The list of canvases without a browser: what an answer does that comes after the list was left.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createCanvasList } from '../../service/browser/canvases/canvas-list.js';
import './plain-dom.mjs';

/** A list whose canvases are made when the test wants it. */
function listed() {
  const opened = [];
  let answer = () => {};
  const create = () => new Promise((resolve) => (answer = () => resolve({ recordId: 'made' })));
  const collection = { rows: {}, loaded: true, problem: '', onChange: () => () => {}, create };
  const { node } = createCanvasList(collection, { open: (id) => opened.push(id), subject: 'alice', deletable: async () => 'own' });
  const begin = () => node.childNodes[0].childNodes[1].listeners.click();
  return { node, opened, begin, answer: () => answer() };
}

for (const isShown of [true, false]) {
  test(`a new canvas is ${isShown ? 'opened' : 'left alone where the list was left before it was made'}`, async () => {
    const { node, opened, begin, answer } = listed();
    node.isConnected = true;
    const creating = begin();
    node.isConnected = isShown;
    answer();
    await creating;
    assert.deepEqual(opened, isShown ? ['made'] : []);
  });
}
