// What a person is asked to allow shows all that it has.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { withVisibleMarks } from '../../service/browser/shared/visible-text.js';

test('what can not be seen is written out', () => {
  const shown = { '\u200b': '\\u200b', '\u00ad': '\\u00ad', '\u{e0041}': '\\u{e0041}', '\u2028': '\\u2028', '\u202e': '\\u202e', '\u{e0101}': '\\u{e0101}', '\u3164': '\\u3164' };
  for (const [mark, text] of Object.entries(shown)) assert.equal(withVisibleMarks(`a${mark}b`), `a${text}b`);
  assert.equal(withVisibleMarks('a\u200db'), 'a\\u200db');
});

test('what is seen stays as it is', () => {
  for (const text of ['👩🏽‍💻 ❤️‍🔥', 'שלום', 'é', 'a  b', '{\n                              "deep": 1\n}']) assert.equal(withVisibleMarks(text), text);
});

test('a long run of spaces says how long it is', () => {
  assert.equal(withVisibleMarks(`"to${' '.repeat(6_000)}ada"`), '"to ‹6000 spaces› ada"');
});
