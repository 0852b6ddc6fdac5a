// Renders Markdown as DOM nodes, one by one: `trusted-types 'none'` allows no HTML strings.

import { createCodeBlock } from './code-block.js';
import { element } from './elements.js';
import { finished, parseOpen } from './markdown-blocks.js';
import { viewOf } from './markdown-views.js';

// Each has the direction of its own words: one reply may have Hebrew and English paragraphs.
const BLOCKS = new Set(['p', 'li', 'ul', 'ol', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'th', 'td']);

/** @typedef {import('./markdown-views.js').View} View */

/** @type {WeakMap<Node, ReturnType<typeof createCodeBlock>>} */
const codeBlocks = new WeakMap();

/** @typedef {ReturnType<typeof createRegion>} Region */

/**
 * Shows a text that grows. While it does, only its last blocks are parsed again, and of these only
 * nodes that differ are changed: a selection is kept, and a long reply costs no more than a short one.
 * @param {any} node an empty one
 */
export function createRegion(node) {
  let source = '';
  let offset = 0; // of the text that may still change what it is
  let settled = 0; // nodes of the text before it
  /** @type {View[]} */
  let views = []; // of the text from there on
  return {
    /** @param {string} text */
    update(text) {
      if (!text.startsWith(source)) {
        node.replaceChildren();
        offset = settled = 0;
        views = [];
      }
      const open = parseOpen(text.slice(offset));
      const next = open.blocks.map((block) => viewOf(finished(block)));
      patchInside(node, settled, views, next);
      source = text;
      offset += open.offset;
      settled += open.settled;
      views = next.slice(open.settled);
    },
  };
}

/**
 * @param {any} parent @param {number} from its first child that is one of `before`
 * @param {View[]} before what its children show @param {View[]} after what they shall show
 */
function patchInside(parent, from, before, after) {
  after.forEach((view, at) => {
    const child = parent.childNodes[from + at];
    if (at >= before.length) parent.append(nodeOf(view));
    else if (!patch(child, before[at], view)) child.replaceWith(nodeOf(view));
  });
  while (parent.childNodes.length > from + after.length) parent.lastChild.remove();
}

/** @param {any} node @param {View} before @param {View} after @returns {boolean} false if it must be another node */
function patch(node, before, after) {
  if (typeof before === 'string' || typeof after === 'string') return patchText(node, before, after);
  if ('code' in before || 'code' in after) {
    if (!('code' in before && 'code' in after) || before.language !== after.language) return false;
    codeBlocks.get(node)?.update(after.code);
    return true;
  }
  if (before.tag !== after.tag || !haveSame(before.attributes, after.attributes)) return false;
  patchInside(node, 0, before.inside, after.inside);
  return true;
}

/** @param {any} node @param {View} before @param {View} after */
function patchText(node, before, after) {
  if (typeof before !== 'string' || typeof after !== 'string') return false;
  // To append keeps a selection inside the text.
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

/** @param {View} view @returns {Node} */
function nodeOf(view) {
  if (typeof view === 'string') return document.createTextNode(view);
  if ('code' in view) {
    const block = createCodeBlock(view.language);
    codeBlocks.set(block.node, block);
    block.update(view.code);
    return block.node;
  }
  const direction = BLOCKS.has(view.tag) ? { dir: 'auto' } : {};
  return element(view.tag, { ...direction, ...view.attributes }, ...view.inside.map(nodeOf));
}
