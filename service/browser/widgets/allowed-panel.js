// @ts-check
// A button that shows how many calls are allowed until the page is closed. It opens a dialog with the list, where the
// user can revoke each of them.

import { element } from '../shared/elements.js';
import { showModal } from '../shared/modal.js';
import { priceOf } from './approval.js';

/** @typedef {import('./session-approvals.js').SessionApproval} SessionApproval */

const TITLE = 'Allowed until this page closes';

/** @param {import('./session-approvals.js').SessionApprovals} sessions */
export function createAllowedPanel(sessions) {
  const open = element('button', { type: 'button', class: 'quiet', title: TITLE, on: { click: show } });
  const list = element('ul', { class: 'allowed-rows' });
  const empty = element('p', { class: 'hint' }, 'None. You are asked before each call that costs credits or changes something.');
  const close = element('button', { type: 'button', class: 'quiet', on: { click: () => dialog.close() } }, 'Close');
  const dialog = element(
    'dialog',
    { class: 'allowed', 'aria-labelledby': 'allowed-title' },
    element('h2', { id: 'allowed-title' }, TITLE),
    empty,
    list,
    element('div', { class: 'dialog-actions' }, close),
  );
  const stopWatching = sessions.onChange(render);

  function show() {
    document.body.append(dialog);
    showModal(dialog);
  }

  function render() {
    const all = sessions.list();
    open.textContent = all.length ? `Allowed calls (${all.length})` : 'Allowed calls';
    list.replaceChildren(...all.map(rowOf));
    empty.hidden = all.length > 0;
  }

  /** @param {SessionApproval} approval */
  function rowOf(approval) {
    const { endpoint, widgetName } = approval;
    const label = `Revoke ${endpoint}${widgetName && ` for ${widgetName}`}`;
    const button = element('button', { type: 'button', class: 'quiet', 'aria-label': label, on: { click: () => revoke(approval) } }, 'Revoke');
    const who = widgetName ? `The widget “${widgetName}” may call it without asking you.` : 'It is sent without asking you.';
    const text = element('span', {}, element('code', {}, endpoint), element('span', { class: 'hint' }, `${who} ${costOf(approval)}`));
    return element('li', {}, text, button);
  }

  /** @param {SessionApproval} approval */
  function revoke(approval) {
    sessions.revoke(approval);
    (list.querySelector('button') ?? close).focus(); // the focused button was removed
  }

  render();
  dialog.addEventListener('close', () => dialog.remove());
  return {
    /** The button, to be put into a bar. */
    node: open,
    stop() {
      stopWatching();
      dialog.close();
      dialog.remove();
    },
  };
}

/** @param {SessionApproval} approval */
function costOf({ policy }) {
  if (policy.credits === 0) return 'It costs no credits.';
  const price = priceOf(policy);
  return `Each call costs ${policy.payer === 'owner' ? `the operator ${price}` : price}.`;
}
