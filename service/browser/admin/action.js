// An action of an admin: asked about first, then done, then shown. A refusal is said where it was asked.

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
     * @returns {Promise<boolean>} whether it was done
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
