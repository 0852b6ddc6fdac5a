// @ts-check
// Which widgets of a canvas are chosen, to be moved or removed together.

/** @typedef {ReturnType<typeof createSelection>} Selection */

/** @param {{onChange: () => void, announce: (sentence: string) => void}} options */
export function createSelection({ onChange, announce }) {
  /** @type {Set<string>} of ids */
  let chosen = new Set();

  /** @param {Iterable<string>} ids @returns {boolean} whether these are others than before */
  function set(ids) {
    const next = new Set(ids);
    if (next.size === chosen.size && [...next].every((id) => chosen.has(id))) return false;
    chosen = next;
    onChange();
    return true;
  }

  return {
    /** In the order in which they were chosen. @returns {string[]} */
    get ids() {
      return [...chosen];
    },
    has: (/** @type {string} */ id) => chosen.has(id),
    set,
    /** Chooses these and no others, and says so. @param {Iterable<string>} ids */
    choose(ids) {
      if (set(ids)) announce(countWords(chosen.size));
    },
    /** @param {string} id */
    toggle(id) {
      this.choose(chosen.has(id) ? this.ids.filter((other) => other !== id) : [...chosen, id]);
    },
    /** @returns {boolean} whether anything was chosen */
    clear() {
      const had = chosen.size > 0;
      this.choose([]);
      return had;
    },
    /** Forgets the widgets that are gone. @param {Set<string>} present */
    keep: (present) => void set([...chosen].filter((id) => present.has(id))),
  };
}

/** @param {number} count */
function countWords(count) {
  if (!count) return 'No widget is chosen.';
  return count === 1 ? '1 widget is chosen.' : `${count} widgets are chosen.`;
}
