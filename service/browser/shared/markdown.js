// Shows text as Markdown. The modules for this are loaded when the first such text is shown.

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
 * A region whose text may grow. Until the modules are loaded, it shows the source text; when it shows the Markdown
 * for the first time, its node dispatches the bubbling event `rendered`.
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
    }, () => {}); // the source text can still be read
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
