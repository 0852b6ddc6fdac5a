// The state of a standalone widget belongs to the user who stored it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { storageOf } from '../../service/browser/shared/site-data.js';
import { createOwnState } from '../../service/browser/widgets/client-own-state.js';

const tokenOf = (sub) => `h.${btoa(JSON.stringify({ sub }))}.s`;

/** A page of the tab whose user signs in as `user` when the page asks, and the number of times that it has asked. */
function open(storage, user = 'alice') {
  const page = { user, asked: 0, getToken: () => ((page.asked += 1), page.user && tokenOf(page.user)) };
  return Object.assign(page, createOwnState({ storage, place: '/app/mail', getToken: page.getToken }));
}

const tab = () => storageOf(() => null);

/** A tab in which alice has stored a state. */
async function tabOfAlice() {
  const storage = tab();
  const page = open(storage);
  await page.token();
  await page.set({ text: 'of alice' });
  return storage;
}

test('a state is there for its user after a reload, who signs in for that', async () => {
  const page = open(await tabOfAlice());
  assert.deepEqual([await page.get(), page.asked], [{ text: 'of alice' }, 1]);
});

test('another user who signs in after a reload gets nothing of it, and the first one gets it back', async () => {
  const storage = await tabOfAlice();
  const bobs = open(storage, 'bob');
  assert.equal(await bobs.get(), null);
  await bobs.set({ text: 'of bob' });
  assert.deepEqual(await open(storage, 'bob').get(), { text: 'of bob' });
  assert.deepEqual(await open(storage).get(), { text: 'of alice' });
});

test('a user who signs in on a page of another one replaces the state there', async () => {
  const seen = [];
  const page = open(tab());
  page.onChange((state) => seen.push(state));
  await page.token();
  await page.set('of alice');
  for (page.user of ['bob', 'bob', 'alice']) await page.token();
  assert.deepEqual(seen, [null, 'of alice']);
});

test('a state that is stored before any sign-in needs none, and then belongs to who signs in', async () => {
  const storage = tab();
  await open(storage).set('typed');
  const page = open(storage);
  assert.deepEqual([await page.get(), page.asked], ['typed', 0]);
  await page.token();
  assert.equal(await open(storage, 'bob').get(), null);
  assert.equal(await open(storage).get(), 'typed');
});

test('what is stored while the page asks for the sign-in does not replace the earlier state in the answer', async () => {
  const page = open(await tabOfAlice());
  const asked = page.get();
  await page.set('typed meanwhile');
  assert.deepEqual(await asked, { text: 'of alice' });
});

test('a page without stored states asks nobody, also if its tokens name no user', async () => {
  const page = open(tab(), '');
  assert.deepEqual([await page.get(), page.asked], [null, 0]);
  await page.token();
  await page.set(1);
  assert.equal(await page.get(), 1);
});
