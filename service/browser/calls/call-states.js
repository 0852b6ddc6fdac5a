// The states of calls and of groups of calls.

/** @typedef {import('../chat/chat-reducer.js').CallPart} CallPart */

const INTERRUPTED = 'interrupted'; // what the server stores for a call that was still running when its reply ended
export const NO_OUTPUT = 'The reply ended before this call had an output.';
export const NOT_RUN = [INTERRUPTED, NO_OUTPUT];
const DECLINED = /^The user (did not allow this call|was asked to allow this call|has to connect)/; // the card of the question shows the details

/** @typedef {'running' | 'done' | 'failed' | 'cut' | 'declined'} Outcome */

/** @param {CallPart} call @returns {Outcome} */
export function outcomeOf({ state, message = '' }) {
  if (state === 'preparing' || state === 'running') return 'running';
  if (state === 'done') return 'done';
  if (NOT_RUN.includes(message)) return 'cut';
  return DECLINED.test(message) ? 'declined' : 'failed';
}

/** The state of a group as a whole. @param {CallPart[]} calls @returns {Outcome} */
export function groupOutcome(calls) {
  const outcomes = calls.map(outcomeOf);
  /** @type {Outcome[]} */
  const order = ['running', 'done', 'failed', 'declined', 'cut'];
  return order.find((one) => outcomes.includes(one)) ?? 'running';
}
