/**
 * A list of listeners, with which a model notifies its views of changes.
 * @returns {{add: (listener: () => void) => () => void, notify: () => void}}
 */
export function createListeners() {
  const all = new Set();
  return {
    add(listener) {
      all.add(listener);
      return () => all.delete(listener);
    },
    notify() {
      for (const listener of [...all]) listener();
    },
  };
}
