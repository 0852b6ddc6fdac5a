// @ts-check
// Counts the successive questions of a widget that were refused by the user or withdrawn by the widget. Questions are
// modal, so a widget that asks again and again would block the whole page.

const MOST = 3; // successive refused questions

/** @param {(widgetId: string) => void} onEnd called when a widget may not ask any more, and each time it asks after that */
export function createRefusalCounter(onEnd) {
  /** @type {Map<string, number>} the successive refused questions, by widget */
  const refusals = new Map();
  const count = (/** @type {string} */ widgetId) => refusals.get(widgetId) ?? 0;
  return {
    /** @param {string} widgetId @returns {boolean} whether a question is refused without asking the user */
    isOver(widgetId) {
      if (count(widgetId) < MOST) return false;
      onEnd(widgetId);
      return true;
    },
    /** @param {string} widgetId @param {boolean} refused whether the question was refused or withdrawn */
    note(widgetId, refused) {
      refusals.set(widgetId, refused ? count(widgetId) + 1 : 0);
      if (count(widgetId) >= MOST) onEnd(widgetId);
    },
    /** @param {string} widgetId */
    renew: (widgetId) => refusals.delete(widgetId),
  };
}
