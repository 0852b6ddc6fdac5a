// What screen readers read out.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createAnnouncer } from '../../service/browser/shared/elements.js';

/** A live region, and the function that draws the next frame. */
function region() {
  const node = { textContent: '' };
  const frames = [];
  const announcer = createAnnouncer(node, (act) => frames.push(act));
  return { node, ...announcer, draw: () => frames.splice(0).forEach((act) => act()) };
}

test('sentences that come at once are all read out, each of them once', () => {
  const { node, announce, draw } = region();
  for (const sentence of ['It asks for one.', 'It asks for another.', 'It asks for one.']) announce(sentence);
  draw();
  assert.equal(node.textContent, 'It asks for one. It asks for another.');
});

test('the same sentence is read out again later, and an earlier one is not', () => {
  const { node, announce, draw } = region();
  for (const sentence of ['Copied', 'Reply ready', 'Reply ready']) {
    announce(sentence);
    assert.equal(node.textContent, '', 'a change of the text is what is read out');
    draw();
    assert.equal(node.textContent, sentence);
  }
});

test('a page that is left says nothing on the next one', () => {
  const { node, announce, clear, draw } = region();
  announce('Reply ready');
  clear();
  announce('Signed out');
  draw();
  assert.equal(node.textContent, 'Signed out');
});
