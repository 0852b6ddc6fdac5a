// Describes a record of `ai-turns` in words: how the reply ended, when, and what it cost.

import { formatNumber, withCredits } from '../shared/number-words.js';
import { moment, timeOfDay } from '../shared/time-format.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Turn a record of `ai-turns`
 */

const STEP_LIMIT = 'Step limit reached';
const INTERRUPTIONS = new Map([
  ['stop', 'Stopped'],
  ['gone', 'Connection lost'],
  ['drain', 'Ended by a restart of the server'],
]);
const UNFINISHED = new Map([
  ['length', 'Length limit reached'],
  ['tool-calls', STEP_LIMIT],
  ['pause', STEP_LIMIT],
]);

/** How the reply ended. @param {Turn} turn */
export function endingOf({ data }) {
  if (data.status === 'aborted') return INTERRUPTIONS.get(data.reason) ?? 'Interrupted';
  if (data.finishReason === 'content-filter') return 'Declined by the model';
  return UNFINISHED.get(data.finishReason) ?? 'Finished';
}

/** Whether the reply was cut short, so that the assistant can continue it. @param {Turn} turn */
export function canContinue({ data }) {
  return data.status === 'aborted' || UNFINISHED.has(data.finishReason);
}

/** One line below the reply. @param {Turn} turn */
export function summaryOf(turn) {
  const ending = endingOf(turn);
  const undone = turn.data.undoneAt ? 'Changes undone' : '';
  const parts = [ending === 'Finished' ? '' : ending, undone, timeOf(turn.createdAt), turn.data.modelId];
  return parts.filter(Boolean).join(' · ');
}

/** All details of the turn. @param {Turn} turn @returns {[string, string][]} names and values */
export function factsOf(turn) {
  const { modelId, durationMs, steps, usage, credits } = turn.data;
  return [
    ['Ended', endingOf(turn)],
    ['Model', modelId],
    ['Time', moment(turn.createdAt)],
    ['Duration', durationText(durationMs)],
    ['Steps', String(steps)],
    ['Tokens', tokensText(usage)],
    ['Cost', creditsText(credits)],
  ];
}

/** @param {string} iso @param {number} [now] milliseconds @returns {string} "14:05", with the day if it is not today */
function timeOf(iso, now = Date.now()) {
  const at = new Date(iso);
  if (at.toDateString() !== new Date(now).toDateString()) return moment(iso);
  return timeOfDay(at);
}

/** @param {number} ms @returns {string} "0.4 s", "12 s", "2 min 5 s" */
export function durationText(ms) {
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** @param {{inputTokens: number, outputTokens: number, cachedInputTokens?: number, estimated?: boolean}} usage */
function tokensText({ inputTokens, outputTokens, cachedInputTokens, estimated }) {
  const cached = cachedInputTokens ? ` (${number(cachedInputTokens)} from the cache)` : '';
  return `${number(inputTokens)} in${cached}, ${number(outputTokens)} out${estimated ? ', estimated' : ''}`;
}

/** @param {number} credits @returns {string} "0.0123 credits"; a very small amount is never shown as 0 */
export function creditsText(credits) {
  if (credits > 0 && credits < 0.0001) return 'less than 0.0001 credits';
  return withCredits(number(credits, 4));
}

/** @param {number} value @param {number} [digits] after the point, at most */
function number(value, digits = 0) {
  return formatNumber(value, digits);
}
