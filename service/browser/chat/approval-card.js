// The card of a tool call that waits for the user's approval. It shows what would be sent, the price, and three
// buttons for the decision.

import { createValueList } from '../calls/value-list.js';
import { element } from '../shared/elements.js';
import { createActivationDelay } from '../shared/activation-delay.js';
import { argumentsOf } from '../widgets/approval.js';
import { createCountdown, setText } from './countdown.js';
import { DECISIONS, SENT, decisionProblem, doubtText, priceInWords, timeLeft } from './question-words.js';

/** @typedef {import('./question-parts.js').ApprovalPart} ApprovalPart */
/** @typedef {'once' | 'chat' | 'deny'} Decision */

/** @type {[Decision, string, string][]} */
const CHOICES = [
  ['once', 'Allow once', 'primary'],
  ['chat', 'Allow in this chat', 'quiet'],
  ['deny', 'Deny', 'quiet'],
];
const IN_CHAT = '“In this chat” holds for 24 hours and for calls that cost no more.';

/**
 * @param {(callId: string, decision: Decision) => Promise<import('./question-parts.js').Approval>} decide
 * @param {{balance?: () => number | null}} [options] `balance` is in credits
 */
export function createApprovalCard(decide, { balance = () => null } = {}) {
  const node = element('div', { class: 'question', role: 'group' });
  const asking = element('div', { class: 'question-asking' });
  const outcome = element('p', { class: 'question-state', tabindex: '-1' });
  const price = element('p', {});
  const time = element('p', { class: 'question-time' });
  const label = element('summary', {});
  const sent = element('details', { class: 'question-sent' }, label);
  const problem = element('p', { class: 'problem', role: 'alert' });
  const buttons = CHOICES.map(([decision, name, kind]) =>
    element('button', { type: 'button', class: kind, on: { click: (/** @type {Event} */ event) => press(decision, event) } }, name),
  );
  const actions = element('div', { class: 'question-actions' }, ...buttons);
  const hint = element('p', { class: 'hint' }, IN_CHAT);
  /** @type {ApprovalPart | null} */
  let current = null;
  let deciding = false;
  const countdown = createCountdown(showFacts);
  const delay = createActivationDelay(mark);

  // `disabled` would take the focus away, and a screen reader would not find the buttons.
  function mark() {
    for (const each of buttons) each.setAttribute('aria-disabled', String(deciding || delay.covers()));
  }

  /** @param {Decision} decision @param {Event} event */
  async function press(decision, event) {
    if (!current || deciding || delay.covers(event)) return;
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
  function show(data) {
    const { state } = data;
    const hadFocus = node.contains(document.activeElement) && document.activeElement?.tagName === 'BUTTON';
    const isAsked = state === 'asked';
    node.dataset.state = state;
    label.textContent = SENT[state];
    sent.open = isAsked;
    outcome.textContent = isAsked ? '' : DECISIONS[state];
    for (const part of [asking, time, actions, hint]) part.hidden = !isAsked;
    outcome.hidden = isAsked;
    if (isAsked) countdown.start(data.expiresAt);
    else end(hadFocus);
  }

  /** @param {boolean} hadFocus */
  function end(hadFocus) {
    stop();
    problem.textContent = '';
    if (hadFocus) outcome.focus(); // the focused button is hidden now
  }

  /** Call this when nobody can answer the question any more, or when the card is removed. */
  function stop() {
    countdown.stop();
    delay.end();
  }

  /** Updates the price and the remaining time; the balance may be loaded later than the card. */
  function showFacts() {
    if (!current) return;
    const { credits, payer, expiresAt } = current.data;
    setText(price, priceInWords({ credits, payer, balance: balance() }));
    setText(time, `Nothing is sent before you allow it. ${timeLeft(expiresAt)}`);
  }

  /** @param {ApprovalPart['data']} data */
  function build({ endpoint, summary, body }) {
    asking.append(element('p', { class: 'question-kind' }, 'Allow this call?'), element('h4', {}, summary.replace(/\.$/, '')), price);
    sent.append(createSentValues(endpoint, body));
    node.setAttribute('aria-label', `Approval: ${endpoint}`);
    node.append(asking, outcome, sent, time, actions, hint, problem);
    delay.start();
  }

  return {
    node,
    stop,
    /** @param {ApprovalPart} part */
    update(part) {
      if (part === current || (current && part.data.state === current.data.state && part.id === current.id)) return;
      if (!current) build(part.data);
      else if (current.data.state === 'left') delay.start(); // the buttons are shown again
      current = part;
      show(part.data);
    },
  };
}

/** What would be sent: a list of the values, and the same as JSON. @param {string} endpoint @param {Record<string, any>} body */
function createSentValues(endpoint, body) {
  const nothing = element('p', { class: 'hint' }, 'Nothing but the call itself.');
  const values = Object.keys(body).length ? createValueList(body, { exact: true }) : nothing;
  const doubt = doubtText(body);
  const name = element('p', { class: 'hint' }, 'Endpoint ', element('code', {}, endpoint));
  return element('div', { class: 'question-values' }, values, doubt && element('p', { class: 'hint' }, doubt), name, createJson(body));
}

/** @param {Record<string, any>} body */
function createJson(body) {
  const json = argumentsOf(JSON.stringify(body), false); // collapsed, because the values are listed above
  json.querySelector('summary')?.replaceChildren('As JSON');
  json.querySelector('pre')?.setAttribute('role', 'group'); // not a region: a conversation has many cards, and each region needs its own name
  return json;
}
