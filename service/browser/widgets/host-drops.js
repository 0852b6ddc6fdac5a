// @ts-check
// Counts the messages that the host did not accept, by widget and reason.

export const NOBODY = ''; // for a sender that is not a widget of this host

/** @param {(drop: {widgetId: string, reason: string, type: string, field?: string}) => void} [onDrop] */
export function createDrops(onDrop = () => {}) {
  /** @type {Map<string, Map<string, number>>} */
  const counts = new Map();
  return {
    /** @param {string} widgetId @param {string} reason @param {any} [data] @param {string} [field] */
    note(widgetId, reason, data, field) {
      const own = counts.get(widgetId) ?? new Map();
      counts.set(widgetId, own.set(reason, (own.get(reason) ?? 0) + 1));
      const type = typeof data?.type === 'string' ? data.type.slice(0, 64) : '';
      onDrop({ widgetId, reason, type, ...(field && { field }) });
    },
    /** @param {string} widgetId @returns {Record<string, number>} by reason */
    of: (widgetId) => Object.fromEntries(counts.get(widgetId) ?? []),
    /** @param {string} widgetId */
    forget: (widgetId) => counts.delete(widgetId),
  };
}
