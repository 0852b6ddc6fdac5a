/**
 * A listener list: what a model tells its views by.
 * @returns {{add: (listener: () => void) => () => void, tell: () => void}}
 */
export function createListeners() {
  const all = new Set();
  return {
    add(listener) {
      all.add(listener);
      return () => all.delete(listener);
    },
    tell() {
      for (const listener of [...all]) listener();
    },
  };
}
