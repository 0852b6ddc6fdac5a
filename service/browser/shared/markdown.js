// Text that is shown as Markdown. The modules for that are loaded when the first such text is there.

import { element } from './elements.js';

/** @typedef {import('./markdown-region.js').Region} Region */

/** @type {((node: any) => Region) | null} */
let create = null;
/** @type {Promise<(node: any) => Region> | null} */
let loading = null;

/** @returns {Promise<(node: any) => Region>} loads once, and again after a failure */
export function loadMarkdown() {
  loading ??= import('./markdown-region.js').then((module) => (create = module.createRegion));
  loading.catch(() => (loading = null));
  return loading;
}

/**
 * A region whose text may grow. Until the modules are there it shows the text as it was written, and its
 * node has a bubbling event `rendered` when that changes.
 */
export function createMarkdownRegion() {
  const node = element('div', { class: 'prose' });
  let region = create?.(node);
  let current = '';
  if (!region) {
    loadMarkdown().then((createRegion) => {
      node.textContent = '';
      region = createRegion(node);
      region.update(current);
      node.dispatchEvent(new Event('rendered', { bubbles: true }));
    }, () => {}); // it can be read all the same
  }
  return {
    node,
    /** @param {string} text */
    update(text) {
      current = text;
      if (region) region.update(text);
      else node.textContent = text;
    },
  };
}
