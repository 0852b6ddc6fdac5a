// The panel of a widget's page without a browser: what a run leaves.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import '../console/plain-dom.mjs';
import { createPanel } from '../../service/browser/widgets/widget-panel.js';

const main = document.createElement('main');
main.toggleAttribute = () => {};
document.getElementById = () => main;
const panel = createPanel({}, { title: 'Test', signOut() {} });

test('a run may show what it has found by itself', async () => {
  await panel.run(async () => panel.say('found'));
  assert.equal(main.dataset.state, 'ready');
});

test('a result that can not be shown is a problem of the widget', async () => {
  const fail = () => {
    throw new TypeError('a mistake in the widget');
  };
  await panel.run(async () => 1, fail);
  assert.equal(main.dataset.state, 'error');
});
