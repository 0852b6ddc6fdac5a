// Where the page is: `#/chat/<id>`. A view that comes later adds its own first word.

/** @typedef {{view: string, id: string | null}} Route */

/** @param {string} hash @returns {Route} */
export function parseRoute(hash) {
  const [view, id] = hash.replace(/^#\/?/, '').split('/');
  return { view: view || 'chat', id: id ? safelyDecoded(id) : null };
}

/** @param {string} view @param {string | null} [id] */
export function hrefOf(view, id = null) {
  return id ? `#/${view}/${encodeURIComponent(id)}` : `#/${view}`;
}

/** @param {string} text */
function safelyDecoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
