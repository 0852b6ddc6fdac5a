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

test('no invisible character is left out', () => {
  const allowed = ['\t', '\n', '\u200d', '\ufe0f']; // the last two are parts of emojis
  const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{Zl}\p{Zp}]/u;
  for (let code = 0; code < 0x110000; code += 1) {
    const mark = String.fromCodePoint(code);
    if (!invisible.test(mark) || allowed.includes(mark)) continue;
    assert.match(withVisibleMarks(`a${mark}b`), /^a\\u(\{[\da-f]+\}|[\da-f]{4})b$/, code.toString(16));
  }
  assert.equal(withVisibleMarks('one\r\ntwo\rthree'), 'one\r\ntwo\\u000dthree');
});

test('a mark of an emoji is written out where there is no emoji', () => {
  const shown = { 'a\ufe0fb': 'a\\ufe0fb', '❤\ufe0f\ufe0f': '❤\ufe0f\\ufe0f', '1\ufe0f2': '1\\ufe0f2' };
  for (const [text, words] of Object.entries(shown)) assert.equal(withVisibleMarks(text), words);
  for (const text of ['❤️', '1️⃣ #️⃣', '©️', '👩🏽‍⚕️']) assert.equal(withVisibleMarks(text), text);
});

test('text is not hidden by a far indentation, by other spaces or by empty lines', () => {
  assert.equal(withVisibleMarks(`to ada\n${' '.repeat(6_000)}and bob`), 'to ada\n ‹6000 spaces› and bob');
  for (const space of ['\u2800', '\t', '\u202f', '\u205f']) assert.equal(withVisibleMarks(`a${space.repeat(20)}b`), 'a ‹20 spaces› b');
  assert.equal(withVisibleMarks(`to ada${'\n \t'.repeat(500)}\nand bob`), 'to ada\n‹500 empty lines›\nand bob');
  assert.equal(withVisibleMarks(`a${'\r\n'.repeat(30)}b`), 'a\n‹29 empty lines›\nb');
  const letter = `Dear Ada,${'\n'.repeat(10)}yours`;
  assert.equal(withVisibleMarks(letter), letter);
});
