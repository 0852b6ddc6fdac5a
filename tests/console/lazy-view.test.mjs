// Style sheets that are loaded when they are first needed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './plain-dom.mjs';
import { loadStyle } from '../../service/browser/page/lazy-view.js';

document.head = document.createElement('head');

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a style sheet that two views need at once is loaded once, and applies when both are shown', async () => {
  let shown = 0;
  for (const each of [loadStyle('../a.css'), loadStyle('../a.css')]) each.then(() => (shown += 1));
  const [link, ...others] = document.head.childNodes;
  await settle();
  assert.deepEqual([others.length, shown], [0, 0], 'nothing is shown without its style');
  link.onload();
  await settle();
  await loadStyle('../a.css');
  assert.deepEqual([document.head.childNodes.length, shown], [1, 2]);
});

test('a style sheet that could not be loaded is loaded again', async () => {
  document.head.replaceChildren();
  const first = loadStyle('../b.css');
  document.head.childNodes[0].onerror();
  await assert.rejects(first, /b\.css/);
  const second = loadStyle('../b.css');
  assert.equal(document.head.childNodes.length, 1);
  document.head.childNodes[0].onload();
  await second;
});
