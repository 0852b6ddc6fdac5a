// The sign-in page without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import './plain-dom.mjs';
import { createSignIn } from '../../service/browser/console/sign-in.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a token whose test ends after the page was left begins no session', async (t) => {
  const answers = [];
  t.mock.method(globalThis, 'fetch', () => new Promise((resolve) => answers.push(() => resolve(Response.json({})))));
  const begun = [];
  const options = { session: { reason: '', begin: (token) => begun.push(token) }, sandbox: true, hasProvider: false };
  const slow = createSignIn({ ...options, offered: 'slow' });
  slow.ready();
  slow.stop(); // a sign-in link was opened in this tab
  const next = createSignIn({ ...options, offered: 'next' });
  next.ready();
  answers[1]();
  answers[0]();
  await settle();
  assert.deepEqual(begun, ['next']);
});
