// The message input without a browser: no text that was typed is lost.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createComposer } from '../../service/browser/chat/composer.js';
import { mayFocusFields } from '../../service/browser/shared/elements.js';
import './plain-dom.mjs';

/** A composer that shows a draft, and all drafts by their names. */
function composing(stored, name) {
  const kept = new Map(Object.entries(stored));
  const drafts = { get: (one) => kept.get(one) ?? '', set: (one, text) => kept.set(one, text) };
  const composer = createComposer({ drafts, modelPicker: document.createElement('span'), onSend() {}, onStop() {}, onDismiss() {}, lastMessage: () => '', leave() {} });
  composer.open(name);
  return { composer, kept: () => Object.fromEntries([...kept].filter(([, text]) => text)) };
}

test('the draft of a chat that is gone stands behind the one of a new chat', () => {
  const { composer, kept } = composing({ new: 'An idea', c: 'And then' }, 'c');
  composer.rename('new');
  assert.deepEqual(kept(), { new: 'An idea\n\nAnd then' });
  composer.putBack('Question');
  assert.deepEqual(kept(), { new: 'Question\n\nAn idea\n\nAnd then' });
});

test('a text that could not be sent is put back once, and taken out only where nobody has changed it', () => {
  const { composer, kept } = composing({ c: 'Typed since' }, 'c');
  composer.putBack('Sent');
  composer.takeOut('Sen');
  assert.deepEqual(kept(), { c: 'Sent\n\nTyped since' });
  composer.takeOut('Sent');
  assert.deepEqual(kept(), { c: 'Typed since' });
  composer.takeOut('Typed since');
  composer.putBack('Sent');
  composer.putBack('Sent');
  assert.deepEqual(kept(), { c: 'Sent' });
});

test('fields take the focus by themselves unless the device is one for fingers, so also where only a keyboard is', (context) => {
  context.after(() => delete globalThis.matchMedia);
  const taking = ['fine', 'none', 'coarse'].map((device) => {
    globalThis.matchMedia = (query) => ({ matches: query === `(pointer: ${device})` });
    return mayFocusFields();
  });
  assert.deepEqual(taking, [true, true, false]);
});
