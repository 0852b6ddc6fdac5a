// A tool call that waits for its user: what would be sent, its price, and the three decisions.

import { element } from '../shared/elements.js';
import { INERT, argumentsOf } from '../widgets/approval.js';
import { DECISIONS, decisionProblem, priceInWords, timeOfDay } from './question-words.js';

/** @typedef {import('./question-parts.js').ApprovalPart} ApprovalPart */
/** @typedef {'once' | 'chat' | 'deny'} Decision */

/** @type {[Decision, string, string][]} */
const CHOICES = [
  ['once', 'Allow once', 'primary'],
  ['chat', 'Allow in this chat', 'quiet'],
  ['deny', 'Don’t allow', 'quiet'],
];

/**
 * @param {(callId: string, decision: Decision) => Promise<import('./question-parts.js').Approval>} decide
 * @param {() => number} [now] milliseconds
 */
export function createApprovalCard(decide, now = () => performance.now()) {
  const node = element('div', { class: 'question', role: 'group' });
  const outcome = element('p', { class: 'question-state', tabindex: '-1' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const buttons = CHOICES.map(([decision, label, kind]) =>
    element('button', { type: 'button', class: kind, on: { click: () => press(decision) } }, label),
  );
  const actions = element('div', { class: 'question-actions' }, ...buttons);
  /** @type {ApprovalPart | null} */
  let current = null;
  let inertUntil = 0;
  let deciding = false;

  // `disabled` would take the focus away, and a screen reader would not find the buttons.
  const mark = () => buttons.forEach((each) => each.setAttribute('aria-disabled', String(deciding || now() < inertUntil)));

  function rest() {
    inertUntil = now() + INERT;
    mark();
    setTimeout(mark, INERT + 1);
  }

  /** @param {Decision} decision */
  async function press(decision) {
    if (!current || deciding || now() < inertUntil) return;
    deciding = true;
    mark();
    problem.textContent = '';
    try {
      show(await decide(current.id, decision));
    } catch (error) {
      problem.textContent = decisionProblem(error);
    }
    deciding = false;
    mark();
  }

  /** @param {ApprovalPart['data']} data */
  function show({ state, expiresAt }) {
    const hadFocus = actions.contains(document.activeElement);
    const isAsked = state === 'asked';
    node.dataset.state = state;
    outcome.textContent = isAsked ? `Nothing is sent before you allow it. You can decide until ${timeOfDay(expiresAt)}.` : DECISIONS[state];
    actions.hidden = !isAsked;
    if (!isAsked) problem.textContent = '';
    if (!isAsked && hadFocus) outcome.focus(); // its button is gone
  }

  /** @param {ApprovalPart['data']} data */
  function build({ endpoint, summary, body, credits, payer }) {
    const sent = argumentsOf(JSON.stringify(body));
    sent.open = true;
    sent.querySelector('pre')?.setAttribute('role', 'group'); // a conversation has many: regions need names of their own
    const title = element('h4', {}, summary);
    node.setAttribute('aria-label', `Approval: ${endpoint}`);
    node.append(title, element('code', {}, endpoint), element('p', {}, priceInWords({ credits, payer })), sent, outcome, actions, problem);
    rest();
  }

  return {
    node,
    /** @param {ApprovalPart} part */
    update(part) {
      if (part === current) return;
      if (!current) build(part.data);
      else if (current.data.state === 'left') rest(); // the buttons come back
      current = part;
      show(part.data);
    },
  };
}
