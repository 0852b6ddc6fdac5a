// The error line above a list. The error of an action stays until the next action; an error of the list itself
// disappears when the list can be read again. If the server can't be reached, the page says so once, not each list.

import { element } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';

/** @param {{problem: string, offline: boolean, refresh: () => unknown}} collection */
export function createProblemLine(collection) {
  const node = element('p', { class: 'problem', role: 'alert' });
  let lastProblem = ''; // the last error of the collection

  /** @param {string} text */
  function show(text) {
    node.textContent = text;
  }

  /** Shows a text, but does not write the same text again: screen readers read out an alert at every change. @param {string} text */
  function keep(text) {
    if (node.textContent !== text) show(text);
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
    /** Call this when the collection has changed. */
    update() {
      const problem = collection.offline ? '' : collection.problem;
      if (problem) keep(problem);
      else if (lastProblem && node.textContent === lastProblem) show('');
      lastProblem = problem;
    },
  };
}
