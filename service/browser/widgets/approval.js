// @ts-check
// Asks the user before a widget's call is made. All texts come from the server's catalog, none from
// the widget; the arguments are shown as they will be sent.

import { numberInWords, priceWords } from '../shared/number-words.js';
import { element } from '../shared/elements.js';
import { createInertTime } from '../shared/inert-time.js';
import { showModal } from '../shared/modal.js';
import { withVisibleMarks } from '../shared/visible-text.js';

const MOST_IN_LINES = 20_000; // characters of arguments: of a mebibyte, the lines and indents take half a minute

/**
 * @typedef {import('./host-approvals.js').ApprovalRequest} ApprovalRequest
 * @typedef {import('./host-approvals.js').Decision} Decision
 */

/**
 * @param {object} [options]
 * @param {() => number | null} [options.balance] the user's credits; null if unknown
 * @returns {(request: ApprovalRequest) => Promise<Decision>} shows one dialog
 */
export function createApprovalDialog({ balance = () => null } = {}) {
  return (request) =>
    new Promise((resolve) => {
      const { dialog, start, stop } = buildDialog(request, balance);
      const end = () => dialog.close('deny');
      dialog.addEventListener('close', () => {
        request.signal.removeEventListener('abort', end);
        stop();
        dialog.remove();
        resolve(decisionOf(dialog.returnValue));
      });
      request.signal.addEventListener('abort', end);
      document.body.append(dialog);
      showModal(dialog);
      start();
    });
}

/** @param {string} value of a closed dialog; Escape leaves none @returns {Decision} */
function decisionOf(value) {
  return value === 'once' || value === 'session' ? value : 'deny';
}

/** @param {ApprovalRequest} request @param {() => number | null} balance */
function buildDialog(request, balance) {
  const cost = element('p', { id: 'approval-cost', class: 'approval-cost' }, costOf(request, balance()));
  const { row, start, change, stop } = actions((decision) => dialog.close(decision));
  const dialog = /** @type {HTMLDialogElement} */ (
    element(
      'dialog',
      { class: 'approval', 'aria-labelledby': 'approval-title', 'aria-describedby': 'approval-who approval-cost' },
      element('h2', { id: 'approval-title' }, `Allow “${request.policy.title.replace(/\.$/, '')}”?`),
      element('p', { id: 'approval-who' }, whoAsks(request)),
      cost,
      argumentsOf(request.text, true),
      row,
    )
  );
  let times = request.times();
  request.onTimes(() => {
    cost.textContent = costOf(request, balance());
    if (request.times() > times) change(); // it costs more: what was about to be pressed was meant for less
    times = request.times();
  });
  return { dialog, start, stop };
}

/** The explorer of the console has no widget's name. @param {ApprovalRequest} request */
function whoAsks({ widgetName, endpoint }) {
  return widgetName ? `The widget “${widgetName}” wants to call ${endpoint}.` : 'Nothing is sent before you allow it.';
}

/**
 * Deny rests once, when the question is new: with each change it could be held unpressable.
 * @param {(decision: Decision) => void} decide
 */
function actions(decide) {
  const allowing = createInertTime(mark);
  const denying = createInertTime(mark);
  const press = (/** @type {Decision} */ decision, rest = allowing) => (/** @type {Event} */ event) => {
    if (!rest.covers(event)) decide(decision);
  };
  const deny = button('quiet', 'Deny', press('deny', denying), { autofocus: true });
  const session = button('quiet', 'Allow until this page closes', press('session'));
  const once = button('primary', 'Allow once', press('once'));
  const row = element('div', { class: 'dialog-actions' }, deny, session, once);
  const both = [allowing, denying];

  // `disabled` would take the focus away, and a screen reader would not find the buttons.
  function mark() {
    deny.setAttribute('aria-disabled', String(denying.covers()));
    for (const each of [session, once]) each.setAttribute('aria-disabled', String(allowing.covers()));
  }

  return {
    row,
    start: () => both.forEach((each) => each.start()),
    change: allowing.begin,
    stop: () => both.forEach((each) => each.end()),
  };
}

/** @param {string} kind @param {string} label @param {(event: Event) => void} act @param {Record<string, any>} [props] @returns {HTMLButtonElement} */
function button(kind, label, act, props = {}) {
  return element('button', { type: 'button', class: kind, ...props, on: { click: act } }, label);
}

/** @param {string} text JSON @param {boolean} open @returns {HTMLDetailsElement} the values as they will be sent */
export function argumentsOf(text, open) {
  const isLong = text.length > MOST_IN_LINES;
  const shown = withVisibleMarks(isLong ? text : JSON.stringify(JSON.parse(text), null, 2));
  // Long arguments scroll, and only what has the focus can be scrolled by keys.
  const content = element('pre', { dir: 'ltr', tabindex: '0', 'aria-label': 'Arguments', role: 'region' }, shown);
  return element('details', { open }, element('summary', {}, 'What is sent'), content);
}

/** @param {ApprovalRequest} request @param {number | null} balance */
function costOf({ policy, times }, balance) {
  const count = Math.max(1, times());
  const equal = count > 1 ? [`${count} equal calls wait for this answer.`] : [];
  const all = count > 1 ? ' in all' : '';
  const total = policy.credits * count;
  if (total === 0) return [...equal, 'It costs no credits.'].join(' ');
  if (policy.payer === 'owner') return [...equal, `It costs ${priceOf(policy, total)}${all}. The operator of this service pays.`].join(' ');
  const left = balance === null ? [] : [`You have ${numberInWords(balance)} ${balance === 1 ? 'credit' : 'credits'}.`];
  return [...equal, `It costs you ${priceOf(policy, total)}${all}.`, ...left].join(' ');
}

/** @param {import('./host-options.js').Policy} policy @param {number} [all] credits of several calls */
export function priceOf({ metered, credits }, all = credits) {
  return `${metered ? 'up to ' : ''}${priceWords(all)}`;
}
