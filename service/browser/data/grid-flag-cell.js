// A boolean cell of the grid: a checkbox whose change is saved at once.

import { element } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { wordOf } from './collections.js';
import { valueAt } from './order.js';

/**
 * @typedef {import('./collections.js').Column} Column
 * @typedef {import('./grid-row.js').GridContext} GridContext
 * @typedef {import('../shared/live-rows.js').Row} Row
 */

/** @param {GridContext} context @param {Column} column @param {() => Row} rowNow @returns {import('./grid-row.js').GridCell} */
export function createFlagCell({ change, isShown, onLost }, column, rowNow) {
  const box = element('input', { type: 'checkbox', tabindex: '-1', on: { change: tick, click: keepReadOnly } });
  const node = element('td', { role: 'gridcell', class: 'cell-boolean' }, box);
  const note = element('span', { class: 'problem cell-problem', role: 'alert' });
  let mayEdit = false;
  let ticks = 0; // how many changes are being saved, one after the other; meanwhile the box shows the user's choice
  /** @type {Promise<unknown>} the last save */
  let last = Promise.resolve();

  const stored = () => valueAt(rowNow(), column.name);

  /** Undoes a click on a read-only box. The box is not disabled, because then the arrow keys could not reach it. @param {Event} event */
  function keepReadOnly(event) {
    if (!mayEdit) event.preventDefault();
  }

  function tick() {
    note.remove();
    ticks += 1;
    last = last.then(save);
  }

  async function save() {
    const [value, before] = [box.checked, stored()];
    try {
      if (value !== (before === true)) await change(rowNow(), { [column.name]: value }, { [column.name]: before });
    } catch (error) {
      if (ticks === 1) box.checked = stored() === true;
      if (!isShown()) onLost('', error);
      node.append(note);
      note.textContent = errorText(error);
    }
    ticks -= 1;
  }

  return {
    node,
    typed: () => '',
    update(mayUpdate, title) {
      mayEdit = mayUpdate && !column.readOnly;
      node.classList.toggle('read-only', !mayEdit);
      if (!ticks) box.checked = stored() === true;
      box.setAttribute('aria-readonly', String(!mayEdit));
      box.setAttribute('aria-label', `${wordOf(column.name)}: ${title}`);
    },
  };
}
