// The list of canvases without a browser: what an answer does that comes after the list was left; and the prices in the gallery.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { costOf } from '../../service/browser/canvases/canvas-gallery.js';
import { createCanvasList } from '../../service/browser/canvases/canvas-list.js';
import './plain-dom.mjs';

/** A list whose canvases are made when the test wants it. */
function listed() {
  const [opened, asked] = [[], []];
  let answer = () => {};
  const create = () => new Promise((resolve) => (asked.push('once'), (answer = () => resolve({ recordId: 'made' }))));
  const collection = { rows: {}, loaded: true, problem: '', onChange: () => () => {}, create };
  const { node } = createCanvasList(collection, { open: (id) => opened.push(id), subject: 'alice', deletable: async () => 'own' });
  const begin = () => node.childNodes[0].childNodes[1].listeners.click();
  return { node, opened, asked, begin, answer: () => answer() };
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

test('a second press while a canvas is being made makes no other, and the button stays one that can have the focus', async () => {
  const { node, asked, begin, answer } = listed();
  const add = node.childNodes[0].childNodes[1];
  const creating = begin();
  await begin();
  assert.deepEqual([asked.length, Boolean(add.disabled), add.getAttribute('aria-disabled')], [1, false, 'true']);
  answer();
  await creating;
  assert.equal(add.getAttribute('aria-disabled'), 'false');
});

test('the gallery says the highest price of a call as it is said elsewhere', () => {
  const told = (...prices) => costOf({ endpoints: prices.map((credits) => ({ credits, approval: 'ask' })) });
  assert.equal(told(1, 0.1 + 0.2), 'Needs approval, up to 1 credit a call');
  assert.equal(told(0.1 + 0.2), 'Needs approval, up to 0.3 credits a call');
  assert.equal(told(0), 'Free, needs approval');
});
