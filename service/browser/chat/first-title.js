// Makes the title of a chat from its first question. The server sets a title in the same way, but only after the first
// complete reply. Pure.

import { parseBlocks } from '../shared/markdown-blocks.js';
import { viewOf } from '../shared/markdown-views.js';

const MOST = 60; // characters
const LAST_WORD = 20; // characters; a last word up to this length is left out instead of being cut
const READ = 1000; // characters of the question that are read
const NAME = /(?<!\w)__[a-z\d]\w*__(?!\w)/gi; // `__name__`, a name in Python, although Markdown reads it as strong
const HIDDEN = '\ud802'; // a single surrogate stands for `_` in such a name: no text has one
const INLINE = new Set(['a', 'code', 'del', 'em', 'span', 'strong']);

/** @param {string} question @returns {string} the beginning of the question in one line, without Markdown marks */
export function titleFrom(question) {
  const text = question.trimStart().slice(0, READ);
  const hidden = text.replace(NAME, (name) => name.replaceAll('_', HIDDEN));
  const shown = parseBlocks(hidden).map((block) => textOf(viewOf(block))).join('').replaceAll(HIDDEN, '_');
  return beginning([...(inOneLine(shown) || inOneLine(text))]);
}

/** @param {import('../shared/markdown-views.js').View} view @returns {string} */
function textOf(view) {
  if (typeof view === 'string') return view;
  if ('code' in view) return ` ${view.code} `;
  const inside = view.inside.map(textOf).join('');
  return INLINE.has(view.tag) ? inside : ` ${inside} `;
}

/** @param {string} text */
function inOneLine(text) {
  return text.trim().replace(/\s+/g, ' ');
}

/** @param {string[]} characters */
function beginning(characters) {
  const cut = characters.slice(0, MOST).join('');
  if (characters.length <= MOST) return cut;
  const words = [...cut, characters[MOST]].join('').replace(/[ ,;:]*[^ ]*$/, '');
  return MOST - [...words].length <= LAST_WORD && words ? words : cut.trimEnd();
}
