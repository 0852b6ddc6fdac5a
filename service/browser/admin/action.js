// Runs an action of an admin: asks for confirmation, carries out the action, then reloads the page. An error is shown
// beside the control of the action.

import { element } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { requestConfirmation } from '../page/confirm-dialog.js';

/** @param {import('./admin-view.js').AdminContext} context */
export function createAction({ reload, announce }) {
  const problem = element('p', { class: 'problem', role: 'alert' });
  return {
    problem,
    /**
     * @param {import('../page/confirm-dialog.js').Question} question
     * @param {() => Promise<unknown>} act
     * @returns {Promise<boolean>} whether the action was carried out
     */
    async ask(question, act) {
      problem.textContent = '';
      if (!(await requestConfirmation(question))) return false;
      try {
        await act();
      } catch (error) {
        problem.textContent = errorText(error);
        return false;
      }
      announce(`Done: ${question.action}`);
      reload();
      return true;
    },
  };
}
