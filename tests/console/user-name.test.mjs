// By what widgets tell the users of a canvas apart.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nameOfUser } from '../../service/browser/canvases/user-name.js';

function createStorage() {
  const kept = new Map();
  return { kept, getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
}

test('a tab gives each user a name of its own, and keeps it', () => {
  const storage = createStorage();
  const name = nameOfUser('alice@example.com', storage);
  assert.equal(nameOfUser('alice@example.com', storage), name);
  assert.notEqual(nameOfUser('bob@example.com', storage), name);
});

test('the name says nothing of the user: another tab gives another one', () => {
  assert.notEqual(nameOfUser('alice', createStorage()), nameOfUser('alice', createStorage()));
  const storage = createStorage();
  nameOfUser('alice@example.com', storage);
  assert.ok(![...storage.kept].flat().join().includes('alice'));
});

test('a tab that keeps nothing gives a name all the same', () => {
  const storage = { getItem: () => null, setItem: () => { throw new Error('QuotaExceededError'); }, removeItem() {} };
  assert.ok(nameOfUser('alice', storage));
});
