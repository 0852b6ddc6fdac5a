// Fills the parameters beside a file that take its name and its media type, if the user has left them empty.

import { stateOf } from '../shared/schema-values.js';

const NAMES = ['name', 'fileName', 'filename'];
const TYPES = ['mimeType', 'mediaType', 'contentType'];

/** @param {import('../shared/schema-frame.js').Place['neighbour']} neighbour */
export function createNeighbours(neighbour) {
  /** @type {Map<string, any>} the states that came from a file, by parameter */
  const filled = new Map();

  /** @param {string[]} names @param {string} value */
  function set(names, value) {
    for (const name of names) {
      const other = neighbour?.(name);
      const current = other?.control.read();
      if (!other || (current !== '' && current !== filled.get(name))) continue;
      const state = (value && stateOf(other.field, value)) || '';
      filled.set(name, state);
      other.control.write(state);
    }
  }

  return {
    /** @param {{name: string, type: string}} file */
    fill(file) {
      set(NAMES, file.name);
      set(TYPES, file.type);
    },
    /** Empties what came from a file and was not changed since. */
    clear() {
      set([...NAMES, ...TYPES], '');
    },
  };
}
