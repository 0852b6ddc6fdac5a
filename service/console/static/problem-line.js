// What went wrong with a list, in a line above it. The refusal of an act stays until the next act;
// the list's own trouble goes when it is over.

import { element } from './elements.js';
import { inWords } from './errors.js';

/** @param {import('./live-collection.js').LiveCollection} collection */
export function createProblemLine(collection) {
  const node = element('p', { class: 'problem', role: 'alert' });
  let told = ''; // the collection's, as last shown

  /** @param {string} text */
  function say(text) {
    node.textContent = text;
  }

  return {
    node,
    say,
    /** @param {() => Promise<unknown>} act @returns {Promise<boolean>} whether it was done */
    async attempt(act) {
      try {
        say('');
        await act();
        return true;
      } catch (error) {
        say(inWords(error));
        collection.refresh();
        return false;
      }
    },
    /** The collection has changed. */
    follow() {
      if (collection.problem) say(collection.problem);
      else if (told && node.textContent === told) say('');
      told = collection.problem;
    },
  };
}
