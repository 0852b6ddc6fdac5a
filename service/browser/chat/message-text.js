// Converts a message to text for the clipboard: the Markdown that the model has written, or the rendered text.

/** @typedef {import('./messages.js').Message} Message */

const BLOCKS = new Set(['P', 'DIV', 'PRE', 'UL', 'OL', 'LI', 'TABLE', 'TR', 'BLOCKQUOTE', 'H3', 'H4', 'H5', 'H6', 'FIGURE', 'SECTION']);
const LEFT_OUT = 'button, svg, .code-head, [data-uncopied]';

/** @param {Message} message */
export function markdownOf({ parts }) {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
}

/** The text of rendered Markdown, with line breaks and without the text of controls. @param {Node} node @returns {string} */
export function plainTextOf(node) {
  return lines(node).replace(/[ \t]+\n/g, '\n').replace(/\n{3,}/g, '\n\n').trim();
}

/** @param {Node} node @returns {string} */
function lines(node) {
  if (!(node instanceof Element)) return node.textContent ?? '';
  if (node.matches(LEFT_OUT)) return '';
  if (node.tagName === 'BR') return '\n';
  const inside = [...node.childNodes].map(lines).join('');
  if (node.matches('td, th')) return `${inside}\t`;
  if (node.matches('li')) return `\n${markerOf(node)}${inside.trim()}`;
  if (node.matches('tr')) return `\n${inside.trimEnd()}`;
  return BLOCKS.has(node.tagName) ? `\n\n${inside}\n\n` : inside;
}

/** @param {Element} item of a list */
function markerOf(item) {
  const list = item.parentElement;
  if (!(list instanceof HTMLOListElement)) return '- ';
  return `${list.start + [...list.children].indexOf(item)}. `;
}
