// The error line above a list. The error of an action stays until the next action; an error of the
// list itself disappears when it is over.

import { element } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';

/** @param {import('../shared/live-collection.js').LiveCollection} collection */
export function createProblemLine(collection) {
  const node = element('p', { class: 'problem', role: 'alert' });
  let lastProblem = ''; // of the collection

  /** @param {string} text */
  function show(text) {
    node.textContent = text;
  }

  return {
    node,
    show,
    /** @param {() => Promise<unknown>} act @returns {Promise<boolean>} whether it succeeded */
    async attempt(act) {
      try {
        show('');
        await act();
        return true;
      } catch (error) {
        show(errorText(error));
        collection.refresh();
        return false;
      }
    },
    /** Call it when the collection has changed. */
    update() {
      if (collection.problem) show(collection.problem);
      else if (lastProblem && node.textContent === lastProblem) show('');
      lastProblem = collection.problem;
    },
  };
}
