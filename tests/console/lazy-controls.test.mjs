// The controls of messages, whose modules are loaded after the first page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './plain-dom.mjs';
import { createLazyControls } from '../../service/browser/chat/lazy-controls.js';

document.head = document.createElement('head');

/** Controls whose modules are being loaded; `load` ends that. */
function loading() {
  const subscribed = [];
  const socket = { phase: 'open', subscribe: (name) => (subscribed.push(name), () => {}), onPhase: () => () => {} };
  let changes = 0;
  const context = { actions: { transport: {} }, list: document.createElement('div'), socket };
  const controls = createLazyControls(context, () => (changes += 1));
  const opened = controls.open('chat');
  const load = () => {
    document.head.lastChild?.onload();
    return opened;
  };
  return { controls, load, outcome: () => [subscribed, changes] };
}

test('controls that are loaded after the page was left read nothing', async () => {
  const left = loading();
  left.controls.stop();
  await left.load();
  assert.deepEqual(left.outcome(), [[], 0]);
  const stays = loading();
  await stays.load();
  assert.deepEqual(stays.outcome(), [['ai-turns'], 1]);
});
