// @ts-check
// Asks the user for approval before a call of a widget is made. All texts come from the server's catalog, none from
// the widget. The arguments are shown exactly as they will be sent.

import { numberInWords, priceWords, withCredits } from '../shared/number-words.js';
import { element } from '../shared/elements.js';
import { createActivationDelay } from '../shared/activation-delay.js';
import { showModal } from '../shared/modal.js';
import { withVisibleMarks } from '../shared/visible-text.js';

const MOST_IN_LINES = 20_000; // characters; longer arguments are not indented, because the layout of one mebibyte takes half a minute

/**
 * @typedef {import('./host-approvals.js').ApprovalRequest} ApprovalRequest
 * @typedef {import('./host-approvals.js').Decision} Decision
 */

/**
 * @param {object} [options]
 * @param {() => number | null} [options.balance] the user's credits; null if unknown
 * @returns {(request: ApprovalRequest) => Promise<Decision>} shows the dialog for one request
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

/** @param {string} value of a closed dialog; '' after Escape @returns {Decision} */
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
      element('p', { id: 'approval-who' }, askerName(request)),
      cost,
      argumentsOf(request.text, true),
      row,
    )
  );
  let times = request.times();
  request.onTimes(() => {
    cost.textContent = costOf(request, balance());
    if (request.times() > times) change(); // the price has risen: a press at this moment was meant for the lower price
    times = request.times();
  });
  return { dialog, start, stop };
}

/** Names the widget that asks; in the explorer of the console there is none. @param {ApprovalRequest} request */
function askerName({ widgetName, endpoint }) {
  return widgetName ? `The widget “${widgetName}” wants to call ${endpoint}.` : 'Nothing is sent before you allow it.';
}

/**
 * The Deny button has the delay only when the question is new. With a delay at each change, a widget could make the
 * button unpressable.
 * @param {(decision: Decision) => void} decide
 */
function actions(decide) {
  const allowing = createActivationDelay(mark);
  const denying = createActivationDelay(mark);
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
  // Long arguments scroll, and the keyboard can only scroll a box that has the focus.
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
  if (policy.payer === 'owner') return [...equal, `It costs ${priceOf(policy, total)}${all}. The owner of the app pays.`].join(' ');
  const left = balance === null ? [] : [`You have ${withCredits(numberInWords(balance))}.`];
  return [...equal, `It costs you ${priceOf(policy, total)}${all}.`, ...left].join(' ');
}

/** @param {import('./host-options.js').Policy} policy @param {number} [all] credits of several calls */
export function priceOf({ metered, credits }, all = credits) {
  return `${metered ? 'up to ' : ''}${priceWords(all)}`;
}
