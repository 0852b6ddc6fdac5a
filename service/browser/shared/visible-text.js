// @ts-check
// Makes invisible characters visible in a text that the user is asked to approve: they are written as escapes.

// Marks that change the order of the text, other format characters, fillers, variation selectors (they can
// encode data), and the two line separators.
const UNSEEN = /[\p{Cf}\u115f\u1160\u3164\uffa0\ufe00-\ufe0e\u{e0100}-\u{e01ef}\u2028\u2029]/gu;
const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
const LONG_RUN = /(?<!\s)[ \u00a0\u2000-\u200a\u3000]{20,}/gu; // it would look like the end of the text; an indentation at the start of a line is allowed

/** @param {string} text */
export function withVisibleMarks(text) {
  return text.replace(UNSEEN, escapeMark).replace(LONG_RUN, ({ length }) => ` ‹${length} spaces› `);
}

/** @param {string} mark @param {number} at @param {string} text */
function escapeMark(mark, at, text) {
  const joins = mark === '\u200d' && EMOJI_BEFORE.test(text.slice(0, at)) && EMOJI_AFTER.test(text.slice(at + 1));
  if (joins) return mark; // it is visible: it joins two emojis into one
  const code = /** @type {number} */ (mark.codePointAt(0)).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
