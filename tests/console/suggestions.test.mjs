// What a new chat suggests, by the collections of the app and the rights of the user.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { suggestionsFor } from '../../service/browser/chat/suggestions.js';

const TITLE = { name: 'title', type: 'string', required: true, readOnly: false };
const OWNER = { name: 'userId', type: 'string', required: true, readOnly: true };
const GENERAL = 'What can you do here?';

function collection(name, permissions = {}, columns = [OWNER, TITLE]) {
  return { name, owner: 'userId', columns, permissions: { read: 'own', create: 'own', update: 'own', delete: 'own', ...permissions } };
}
const labels = (...collections) => suggestionsFor(collections).map(({ label }) => label);

test('questions and additions alternate over the collections of the app, and are four at most', () => {
  const all = ['notes', 'tasks', 'reading-lists', 'albums', 'ai-chats'].map((name) => collection(name));
  assert.deepEqual(labels(...all), ['What is in my notes?', 'Add a task: …', 'What is in my reading lists?', GENERAL]);
});

test('one collection is asked about and added to, and the text to add waits for its end', () => {
  const [, add] = suggestionsFor([collection('albums')]);
  assert.deepEqual(add, { label: 'Add an album: …', text: 'Add an album: ' });
});

test('an app without collections of its own gets the general question alone', () => {
  assert.deepEqual(labels(collection('ai-chats'), collection('canvases'), collection('users')), [GENERAL]);
});

test('nothing is suggested that the user may not do, or that a title alone does not make', () => {
  const year = { name: 'year', type: 'integer', required: true, readOnly: false };
  assert.deepEqual(labels(collection('albums', { create: false, read: true })), ['What is in the albums?', GENERAL]);
  assert.deepEqual(labels(collection('albums', {}, [OWNER, TITLE, year])), ['What is in my albums?', GENERAL]);
  assert.deepEqual(labels(collection('inventory')), ['What is in my inventory?', GENERAL]);
});
