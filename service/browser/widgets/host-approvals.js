// @ts-check
// The user's decisions about calls, with one question at a time. The decision 'once' holds for the exact text that was
// shown; the decision 'session' holds for a widget and an endpoint at its price.

import { createRefusalCounter } from './host-refusals.js';
import { createSessionApprovals } from './session-approvals.js';

/**
 * @typedef {import('./host-options.js').Policy} Policy
 * @typedef {'once' | 'session' | 'deny'} Decision
 * @typedef {'auto' | 'once' | 'session' | 'deny'} Approval
 *
 * @typedef {object} ApprovalRequest a question to the user
 * @property {string} widgetId
 * @property {string} widgetName
 * @property {string} endpoint
 * @property {Policy} policy
 * @property {string} text the arguments as JSON, exactly as they will be sent
 * @property {() => number} times how many equal calls wait for the answer
 * @property {(listener: () => void) => void} onTimes
 * @property {AbortSignal} signal aborted when no call waits for the answer any more
 *
 * @typedef {{widgetId: string, widgetName: string, endpoint: string, policy: Policy, text: string,
 *   signal: AbortSignal}} Question
 * @typedef {{question: Question, waiting: Set<(decision: Decision) => void>, listeners: (() => void)[],
 *   ended: AbortController, isShown: boolean}} Group equal calls that wait for the same answer
 */

/**
 * @param {(request: ApprovalRequest) => Promise<Decision>} approve
 * @param {ReturnType<typeof createRefusalCounter>} [refusals] limits the refused questions of a widget
 * @param {import('./session-approvals.js').SessionApprovals} [sessions] the list of session approvals, which the page may
 *   show
 */
export function createApprovals(approve, refusals = createRefusalCounter(() => {}), sessions = createSessionApprovals()) {
  /** @type {Map<string, string>} widgets, by the key of a call that was allowed once but only needed a consent */
  const unused = new Map();
  /** @type {Map<string, Group>} in the order of their questions */
  const groups = new Map();
  let isAsking = false;

  /** @param {Question} question @returns {Promise<Approval>} */
  async function decide(question) {
    if (question.policy.approval === 'auto') return 'auto';
    if (unused.delete(keyOfCall(question))) return 'once';
    return sessions.covers(question) ? 'session' : ask(question);
  }

  /** @param {Question} question @returns {Promise<Decision>} */
  function ask(question) {
    const { signal } = question;
    if (signal.aborted) return Promise.resolve('deny');
    const key = keyOfCall(question);
    const group = groups.get(key) ?? newGroup(question);
    groups.set(key, group);
    return new Promise((resolve) => {
      group.waiting.add(resolve);
      signal.addEventListener('abort', () => leave(key, group, resolve), { once: true });
      for (const listener of group.listeners) listener();
      askNext();
    });
  }

  /** @param {string} key @param {Group} group @param {(decision: Decision) => void} resolve */
  function leave(key, group, resolve) {
    if (!group.waiting.delete(resolve)) return;
    resolve('deny');
    for (const listener of group.listeners) listener();
    if (group.waiting.size) return;
    if (groups.get(key) === group) groups.delete(key);
    // A widget that withdraws its question and asks again would block the page as much as one that asks after refusals.
    if (group.isShown) refusals.note(group.question.widgetId, true);
    group.ended.abort();
  }

  async function askNext() {
    const [next] = groups;
    if (isAsking || !next) return;
    const [key, group] = next;
    isAsking = true;
    try {
      settle(group, sessions.covers(group.question) ? 'session' : await askUser(group));
    } catch (error) {
      settle(group, 'deny'); // after any error, nothing is allowed
      throw error;
    } finally {
      if (groups.get(key) === group) groups.delete(key);
      isAsking = false;
      askNext();
    }
  }

  /** @param {Group} group @returns {Promise<Decision>} */
  async function askUser(group) {
    const { widgetId } = group.question;
    if (refusals.isOver(widgetId)) return 'deny';
    group.isShown = true;
    const decision = await approve(requestOf(group));
    if (group.waiting.size) refusals.note(widgetId, decision === 'deny');
    return decision;
  }

  /** @param {Group} group @param {Decision} decision */
  function settle({ question, waiting }, decision) {
    if (decision === 'session' && waiting.size) sessions.add(question);
    for (const resolve of waiting) resolve(decision);
    waiting.clear();
  }

  return {
    decide,
    /**
     * Allows a call once more. It was allowed once, but has done nothing because an account is not connected.
     * @param {Omit<Question, 'widgetName' | 'signal'>} question
     */
    giveBack: (question) => void unused.set(keyOfCall(question), question.widgetId),
    /** Removes the approvals of a widget. @param {string} widgetId */
    forget(widgetId) {
      sessions.forget(widgetId);
      for (const [key, owner] of unused) if (owner === widgetId) unused.delete(key);
    },
  };
}

/** @param {Question} question @returns {Group} */
function newGroup(question) {
  return { question, waiting: new Set(), listeners: [], ended: new AbortController(), isShown: false };
}

/** @param {Group} group @returns {ApprovalRequest} */
function requestOf({ question, waiting, listeners, ended }) {
  const { signal: _, ...shown } = question;
  const times = () => waiting.size;
  return { ...shown, times, onTimes: (listener) => listeners.push(listener), signal: ended.signal };
}

/** @param {Pick<Question, 'widgetId' | 'endpoint' | 'policy' | 'text'>} question with the price that the user saw */
function keyOfCall({ widgetId, endpoint, policy, text }) {
  return keyOf(widgetId, endpoint, policy.credits, policy.payer, text);
}

/** @param {...unknown} parts */
function keyOf(...parts) {
  return JSON.stringify(parts);
}
