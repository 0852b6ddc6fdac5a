// Describes the HTML elements of Markdown blocks as plain data. Pure.

import { safeHref } from './markdown-links.js';

/**
 * @typedef {import('./markdown-blocks.js').Block} Block
 * @typedef {import('./markdown-inline.js').Inline} Inline
 * @typedef {{tag: string, attributes: Record<string, string>, inside: View[]}} Tag
 * @typedef {{language: string, code: string}} Code a block of code, which updates its node itself
 * @typedef {string | Tag | Code} View strings are never empty and never adjacent
 */

/** @param {string} tag @param {Record<string, string>} attributes @param {...View} inside @returns {Tag} */
function view(tag, attributes, ...inside) {
  return { tag, attributes, inside };
}

/** @param {Block} block @returns {View} */
export function viewOf(block) {
  switch (block.kind) {
    case 'paragraph':
      return view('p', {}, ...inlineViews(block.children));
    case 'heading':
      // Always h4: the heading levels in a reply do not fit the headings of the page.
      return view('h4', { class: `level-${block.level}` }, ...inlineViews(block.children));
    case 'code':
      return { language: block.language, code: block.text };
    case 'formula':
      return view('pre', { class: 'formula', tabindex: '0', role: 'group', 'aria-label': 'Formula' }, block.text);
    case 'quote':
      return view('blockquote', {}, ...block.blocks.map(viewOf));
    case 'list':
      return listView(block);
    case 'table':
      return tableView(block);
    case 'rule':
      return view('hr', {});
  }
}

/** @param {Extract<Block, {kind: 'list'}>} list */
function listView({ start, isLoose, items }) {
  /** @type {Record<string, string>} */
  const attributes = start === null || start === 1 ? {} : { start: String(start) };
  return view(start === null ? 'ul' : 'ol', attributes, ...items.map((item) => itemView(item, isLoose)));
}

/** @param {import('./markdown-blocks.js').Item} item @param {boolean} isLoose whether its paragraphs have margins */
function itemView({ isDone, blocks }, isLoose) {
  const inside = blocks.flatMap((block) =>
    block.kind === 'paragraph' && !isLoose ? inlineViews(block.children) : [viewOf(block)],
  );
  if (isDone === null) return view('li', {}, ...inside);
  const box = { type: 'checkbox', disabled: '', 'aria-label': 'Done', ...(isDone && { checked: 'checked' }) };
  return view('li', { class: 'task' }, view('input', box), ...inside);
}

/** @param {Extract<Block, {kind: 'table'}>} table */
function tableView({ alignments, head, rows }) {
  /** @param {number} at @returns {Record<string, string>} */
  const aligned = (at) => (alignments[at] ? { class: `align-${alignments[at]}` } : {});
  const heads = head.map((cell, at) => view('th', { scope: 'col', ...aligned(at) }, ...inlineViews(cell)));
  const body = rows.map((row) => {
    const cells = row.map((cell, at) => view('td', aligned(at), ...inlineViews(cell)));
    const missing = head.length - row.length;
    // One cell in place of all missing ones, so that many short rows of a wide table stay cheap.
    return view('tr', {}, ...cells, ...(missing > 0 ? [view('td', { colspan: String(missing) })] : []));
  });
  const parts = [view('thead', {}, view('tr', {}, ...heads)), ...(body.length ? [view('tbody', {}, ...body)] : [])];
  // A scrollable box must be reachable by keyboard.
  return view('div', { class: 'table-box', tabindex: '0', role: 'group', 'aria-label': 'Table' }, view('table', {}, ...parts));
}

/** @param {Inline[]} nodes @returns {View[]} */
function inlineViews(nodes) {
  return nodes.flatMap(inlineView).reduce(addView, /** @type {View[]} */ ([]));
}

/** @param {View[]} views @param {View} next joined with the last view if both are texts */
function addView(views, next) {
  const last = views.length - 1;
  if (typeof next === 'string' && typeof views[last] === 'string') views[last] += next;
  else if (next !== '') views.push(next);
  return views;
}

/** @param {Inline} node @returns {View[]} */
function inlineView(node) {
  switch (node.kind) {
    case 'text':
      return [node.text];
    case 'break':
      return [view('br', {})];
    case 'code':
      return [view('code', {}, ...(node.text ? [node.text] : []))];
    case 'formula':
      return [view('span', { class: 'formula' }, node.text)];
    case 'link':
      return linkView(node.target, inlineViews(node.children));
    case 'image':
      return imageView(node);
    default:
      return [view(node.kind, {}, ...inlineViews(node.children))];
  }
}

/** A link that is not allowed is shown as text, with its target. @param {string} target @param {View[]} label */
function linkView(target, label) {
  const href = safeHref(target);
  if (!href) return target ? [...label, ` (${target})`] : label;
  const inside = label.length ? label : [href];
  return [view('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, ...inside)];
}

/**
 * A picture of another origin is not loaded: its host would learn that somebody reads the reply.
 * @param {Extract<Inline, {kind: 'image'}>} image
 */
function imageView({ target, alt }) {
  const src = ownAddress(target);
  if (src) return [view('img', { src, alt, loading: 'lazy' })];
  return linkView(target, [alt || 'Picture']);
}

/** @param {string} target @returns {string | null} the address, if it has the origin of the page */
function ownAddress(target) {
  const origin = globalThis.origin; // "null" in a widget's frame
  if (!origin?.startsWith('http') || !target || !URL.canParse(target, origin)) return null;
  const address = new URL(target, origin);
  return address.origin === origin ? address.href : null;
}
