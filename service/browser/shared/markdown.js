// Renders Markdown as DOM nodes, one by one: `trusted-types 'none'` allows no HTML strings.

import { element } from './elements.js';
import { parseBlocks } from './markdown-blocks.js';

/**
 * @typedef {import('./markdown-blocks.js').Block} Block
 * @typedef {import('./markdown-inline.js').Inline} Inline
 */

/**
 * A region whose text grows. Only changed blocks are built again: a selection is kept, and a long
 * reply is not rebuilt for every word.
 */
export function createMarkdownRegion() {
  const node = element('div', { class: 'prose' });
  /** @type {string[]} */
  let keys = [];
  return {
    node,
    /** @param {string} text */
    update(text) {
      const blocks = parseBlocks(text);
      const newKeys = blocks.map((block) => JSON.stringify(block));
      const same = newKeys.findIndex((key, place) => key !== keys[place]);
      const keep = same < 0 ? newKeys.length : same;
      while (node.childNodes.length > keep) node.lastChild.remove();
      node.append(...blocks.slice(keep).map(blockNode));
      keys = newKeys;
    },
  };
}

/** @param {Block} block @returns {HTMLElement} */
function blockNode(block) {
  switch (block.kind) {
    case 'paragraph':
      return element('p', {}, ...inlineNodes(block.children));
    case 'heading':
      // Always h4: the model's heading levels are not those of the page.
      return element('h4', { class: `level-${block.level}` }, ...inlineNodes(block.children));
    case 'code':
      return codeNode(block);
    case 'quote':
      return element('blockquote', {}, ...block.blocks.map(blockNode));
    case 'list':
      return listNode(block);
    case 'table':
      return tableNode(block);
    case 'rule':
      return element('hr');
  }
}

/** @param {Extract<Block, {kind: 'code'}>} block */
function codeNode({ language, text }) {
  const label = language ? `${language} code` : 'Code';
  // A scrollable box must be reachable by keyboard.
  return element('pre', { tabindex: '0', role: 'group', 'aria-label': label }, element('code', {}, text));
}

/** @param {Extract<Block, {kind: 'list'}>} block */
function listNode({ ordered, start, items }) {
  const from = ordered && start !== 1 ? { start: String(start) } : {};
  return element(ordered ? 'ol' : 'ul', from, ...items.map((blocks) => element('li', {}, ...itemNodes(blocks))));
}

/** @param {Block[]} blocks of one item; its first paragraph is not wrapped, so it has no margins */
function itemNodes(blocks) {
  const [first, ...rest] = blocks;
  if (first?.kind !== 'paragraph') return blocks.map(blockNode);
  return [...inlineNodes(first.children), ...rest.map(blockNode)];
}

/** @param {Extract<Block, {kind: 'table'}>} block */
function tableNode({ head, rows }) {
  /** @param {'th' | 'td'} tag @param {Inline[]} cell */
  const cell = (tag, cell) => element(tag, tag === 'th' ? { scope: 'col' } : {}, ...inlineNodes(cell));
  const body = rows.map((row) => element('tr', {}, ...row.map((value) => cell('td', value))));
  const table = element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...head.map((value) => cell('th', value)))),
    element('tbody', {}, ...body),
  );
  return element('div', { class: 'table-box', tabindex: '0', role: 'group', 'aria-label': 'Table' }, table);
}

/** @param {Inline[]} nodes @returns {Node[]} */
function inlineNodes(nodes) {
  return nodes.map(inlineNode);
}

/** @param {Inline} node @returns {Node} */
function inlineNode(node) {
  switch (node.kind) {
    case 'text':
      return document.createTextNode(node.text);
    case 'break':
      return element('br');
    case 'code':
      return element('code', {}, node.text);
    case 'link': {
      const attributes = { href: node.href, target: '_blank', rel: 'noopener noreferrer nofollow' };
      return element('a', attributes, ...inlineNodes(node.children));
    }
    default:
      return element(node.kind, {}, ...inlineNodes(node.children));
  }
}
