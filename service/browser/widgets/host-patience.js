// @ts-check
// How often the user has refused a widget in a row. Questions are modal: a widget that asks again after
// each refusal would hold the whole page.

const MOST = 3; // refusals in a row

/** @param {(widgetId: string) => void} onEnd called when a widget may ask no more, and when it asks again */
export function createPatience(onEnd) {
  /** @type {Map<string, number>} refusals in a row */
  const refusals = new Map();
  const count = (/** @type {string} */ widgetId) => refusals.get(widgetId) ?? 0;
  return {
    /** @param {string} widgetId @returns {boolean} whether a question is refused without asking the user */
    isOver(widgetId) {
      if (count(widgetId) < MOST) return false;
      onEnd(widgetId);
      return true;
    },
    /** @param {string} widgetId @param {boolean} refused */
    note(widgetId, refused) {
      refusals.set(widgetId, refused ? count(widgetId) + 1 : 0);
      if (count(widgetId) >= MOST) onEnd(widgetId);
    },
    /** @param {string} widgetId */
    renew: (widgetId) => refusals.delete(widgetId),
  };
}
