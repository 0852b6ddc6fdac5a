// @ts-check
// How often a widget has asked in vain, in a row: the user refused, or the widget took its question back.
// Questions are modal: a widget that asks again after each would hold the whole page.

const MOST = 3; // questions in a row

/** @param {(widgetId: string) => void} onEnd called when a widget may ask no more, and when it asks again */
export function createPatience(onEnd) {
  /** @type {Map<string, number>} questions in vain, in a row */
  const refusals = new Map();
  const count = (/** @type {string} */ widgetId) => refusals.get(widgetId) ?? 0;
  return {
    /** @param {string} widgetId @returns {boolean} whether a question is refused without asking the user */
    isOver(widgetId) {
      if (count(widgetId) < MOST) return false;
      onEnd(widgetId);
      return true;
    },
    /** @param {string} widgetId @param {boolean} refused or taken back */
    note(widgetId, refused) {
      refusals.set(widgetId, refused ? count(widgetId) + 1 : 0);
      if (count(widgetId) >= MOST) onEnd(widgetId);
    },
    /** @param {string} widgetId */
    renew: (widgetId) => refusals.delete(widgetId),
  };
}
