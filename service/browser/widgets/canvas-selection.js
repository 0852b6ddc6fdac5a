// @ts-check
// The selected widgets of a canvas, which are moved or removed together.

/** @typedef {ReturnType<typeof createSelection>} Selection */

/** @param {{onChange: () => void, announce: (sentence: string) => void}} options */
export function createSelection({ onChange, announce }) {
  /** @type {Set<string>} ids of widgets */
  let chosen = new Set();

  /** @param {Iterable<string>} ids @returns {boolean} whether the selection has changed */
  function set(ids) {
    const next = new Set(ids);
    if (next.size === chosen.size && [...next].every((id) => chosen.has(id))) return false;
    chosen = next;
    onChange();
    return true;
  }

  return {
    /** The ids in the order in which the widgets were selected. @returns {string[]} */
    get ids() {
      return [...chosen];
    },
    has: (/** @type {string} */ id) => chosen.has(id),
    set,
    /** Selects only these widgets, and announces it. @param {Iterable<string>} ids */
    choose(ids) {
      if (set(ids)) announce(countWords(chosen.size));
    },
    /** @param {string} id */
    toggle(id) {
      this.choose(chosen.has(id) ? this.ids.filter((other) => other !== id) : [...chosen, id]);
    },
    /** @returns {boolean} whether any widget was selected */
    clear() {
      const had = chosen.size > 0;
      this.choose([]);
      return had;
    },
    /** Removes the widgets from the selection that no longer exist. @param {Set<string>} present */
    keep: (present) => void set([...chosen].filter((id) => present.has(id))),
  };
}

/** @param {number} count */
function countWords(count) {
  if (!count) return 'No widget is chosen.';
  return count === 1 ? '1 widget is chosen.' : `${count} widgets are chosen.`;
}
