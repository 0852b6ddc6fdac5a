// Renders Markdown by creating DOM nodes one by one: the policy `trusted-types 'none'` allows no HTML strings.

import { createCodeBlock } from './code-block.js';
import { element } from './elements.js';
import { toBlock, parseOpen } from './markdown-blocks.js';
import { viewOf } from './markdown-views.js';

// The text direction of each outermost block follows its words: one reply may have Hebrew and English paragraphs. The
// blocks inside have no attribute `dir`, because browsers ignore the words of such blocks for the direction of the outer one.
const BLOCKS = new Set(['p', 'li', 'ul', 'ol', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'div', 'table', 'th', 'td']);

/** @typedef {import('./markdown-views.js').View} View */

/** @type {WeakMap<Node, ReturnType<typeof createCodeBlock>>} */
const codeBlocks = new WeakMap();

/** @typedef {ReturnType<typeof createRegion>} Region */

/**
 * Shows a text that grows. At each update, only the last blocks are parsed again, and only the nodes that differ are
 * changed. So a selection is kept, and an update of a long reply costs no more than that of a short one.
 * @param {any} node which must be empty
 */
export function createRegion(node) {
  let source = '';
  let offset = 0; // where the unsettled text begins
  let settled = 0; // how many nodes show the settled text
  /** @type {View[]} */
  let views = []; // the views of the unsettled text
  return {
    /** @param {string} text */
    update(text) {
      if (!text.startsWith(source)) {
        node.replaceChildren();
        offset = settled = 0;
        views = [];
      }
      const open = parseOpen(text.slice(offset));
      const next = open.blocks.map((block) => viewOf(toBlock(block)));
      patchInside(node, settled, views, next);
      source = text;
      offset += open.offset;
      settled += open.settled;
      views = next.slice(open.settled);
    },
  };
}

/**
 * @param {any} parent @param {number} from index of the child that shows the first view of `before`
 * @param {View[]} before the views on the screen @param {View[]} after the views to show
 * @param {boolean} [isInside] whether the parent is a block, or inside one
 */
function patchInside(parent, from, before, after, isInside = false) {
  after.forEach((view, at) => {
    const child = parent.childNodes[from + at];
    if (at >= before.length) parent.append(nodeOf(view, isInside));
    else if (!patch(child, before[at], view, isInside)) child.replaceWith(nodeOf(view, isInside));
  });
  while (parent.childNodes.length > from + after.length) parent.lastChild.remove();
}

/**
 * @param {any} node @param {View} before @param {View} after @param {boolean} isInside
 * @returns {boolean} false if the node must be replaced
 */
function patch(node, before, after, isInside) {
  if (typeof before === 'string' || typeof after === 'string') return patchText(node, before, after);
  if ('code' in before || 'code' in after) {
    if (!('code' in before && 'code' in after) || before.language !== after.language) return false;
    codeBlocks.get(node)?.update(after.code);
    return true;
  }
  if (before.tag !== after.tag || !haveSame(before.attributes, after.attributes)) return false;
  patchInside(node, 0, before.inside, after.inside, isInside || BLOCKS.has(after.tag));
  return true;
}

/** @param {any} node @param {View} before @param {View} after */
function patchText(node, before, after) {
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  // Appending keeps a selection inside the text.
  if (after.startsWith(before)) {
    if (after.length > before.length) node.appendData(after.slice(before.length));
  } else node.data = after;
  return true;
}

/** @param {Record<string, string>} one @param {Record<string, string>} other */
function haveSame(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** @param {View} view @param {boolean} isInside whether it is inside a block @returns {Node} */
function nodeOf(view, isInside) {
  if (typeof view === 'string') return document.createTextNode(view);
  if ('code' in view) {
    const block = createCodeBlock(view.language);
    codeBlocks.set(block.node, block);
    block.update(view.code);
    return block.node;
  }
  const isBlock = BLOCKS.has(view.tag);
  const direction = isBlock && !isInside ? { dir: 'auto' } : {};
  const inside = view.inside.map((each) => nodeOf(each, isInside || isBlock));
  return element(view.tag, { ...direction, ...view.attributes }, ...inside);
}
