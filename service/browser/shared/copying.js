// Copies a text that is on the page.

/**
 * Copies a text. If the browser does not allow this, as in a widget's frame or on a page loaded over plain HTTP, the
 * node with the text is selected instead, so that the user can copy it.
 * @param {string} text @param {Node} node
 * @returns {Promise<boolean>} whether the text was copied
 */
export async function copyOrSelect(text, node) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(node);
    return false;
  }
}
