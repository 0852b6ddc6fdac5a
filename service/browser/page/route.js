// The route in the URL's hash: `#/<view>/<id>`, for example `#/chat/<id>`. An id may have slashes.

/** @typedef {{view: string, id: string | null}} Route */

/** @param {string} hash @returns {Route} */
export function parseRoute(hash) {
  const [view, ...id] = hash.replace(/^#\/?/, '').split('/');
  return { view: view || 'chat', id: id.length ? decode(id.join('/')) || null : null };
}

/** @param {string} view @param {string | null} [id] */
export function hrefOf(view, id = null) {
  return id ? `#/${view}/${encodeURIComponent(id)}` : `#/${view}`;
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
