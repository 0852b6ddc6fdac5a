// The routes of the data view: `#/data`, `#/data/<collection>`, `#/data/<collection>/<recordId>`.

/** @param {string | null} [collection] @param {string | null} [recordId] */
export function dataHref(collection = null, recordId = null) {
  const parts = [collection, recordId].filter((part) => part !== null);
  return ['#/data', ...parts.map((part) => encodeURIComponent(/** @type {string} */ (part)))].join('/');
}

/**
 * @param {string | null} id of the route; the id of a record may have slashes
 * @returns {{collection: string | null, recordId: string | null}}
 */
export function parseDataRoute(id) {
  const [collection, ...rest] = (id ?? '').split('/');
  return { collection: collection || null, recordId: rest.join('/') || null };
}
