// @ts-check
// Makes invisible characters visible in a text that the user is asked to approve: they are written as escapes. Long runs
// of spaces and of empty lines are replaced by their length, because the text after them would be out of sight.

// All characters that browsers do not draw, such as marks that change the order of the text, fillers, and variation
// selectors, which can encode data. Tabs and line ends stay.
const UNSEEN = /\r(?!\n)|(?![\t\n\r])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2028\u2029]/gu;
const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
const PICTURE_BEFORE = /\p{Extended_Pictographic}$/u;
const KEY_BEFORE = /[\d#*]$/;
const KEYCAP = '\u20e3'; // draws the character before it as a key
const SPACES = String.raw`[\t \u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]`;
const LONG_RUN = new RegExp(`(?<!\\s)${SPACES}{20,}|${SPACES}{200,}`, 'gu'); // it would look like the end of the text; at the start of a line, a longer indentation is allowed
const EMPTY_LINES = /\r?\n(?:[^\S\n]*\n){20,}/g;

/** @param {string} text */
export function withVisibleMarks(text) {
  return text
    .replace(UNSEEN, escapeMark)
    .replace(EMPTY_LINES, (lines) => `\n‹${lines.split('\n').length - 2} empty lines›\n`)
    .replace(LONG_RUN, ({ length }) => ` ‹${length} spaces› `);
}

/** @param {string} mark @param {number} at @param {string} text */
function escapeMark(mark, at, text) {
  if (isInEmoji(mark, text.slice(Math.max(0, at - 2), at), text.slice(at + 1, at + 3))) return mark; // it is visible: it changes how the emoji is drawn
  const code = /** @type {number} */ (mark.codePointAt(0)).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** @param {string} mark @param {string} before the two units of the text before it, which may be one character @param {string} after */
function isInEmoji(mark, before, after) {
  if (mark === '\u200d') return EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after); // joins two emojis into one
  if (mark !== '\ufe0f') return false;
  return PICTURE_BEFORE.test(before) || (KEY_BEFORE.test(before) && after.startsWith(KEYCAP)); // a picture instead of a text symbol
}
