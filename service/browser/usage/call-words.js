// Describes a call of an endpoint: how it ended, how long it took, and where it came from. Does not use the DOM.
// @ts-check

import { creditsInWords } from './spend-scale.js';

/**
 * @typedef {object} Call the data of a record of `integration-calls`
 * @property {string} endpoint
 * @property {'user' | 'developer'} payer
 * @property {'http' | 'chat' | 'mcp' | 'widget'} door
 * @property {string} [approval]
 * @property {string} status
 * @property {string} [error]
 * @property {number} [upstreamStatus]
 * @property {number} [credits]
 * @property {number} ms
 * @property {string} [jobId]
 */

const STATUSES = new Map([
  ['succeeded', 'Succeeded'],
  ['accepted', 'Running'],
  ['consent', 'Consent needed'],
  ['refused', 'Refused'],
  ['failed', 'Failed'],
  ['expired', 'Result not fetched in time'],
]);
const REASONS = new Map([
  ['invalid_request', 'the parameters were not valid'],
  ['insufficient_credits', 'there were not enough credits'],
  ['rate_limited', 'there were too many calls'],
  ['forbidden', 'it was not allowed'],
  ['not_found', 'it was not found'],
  ['conflict', 'its Idempotency-Key was in use'],
  ['too_large', 'the request was too large'],
  ['not_configured', 'a setting is missing on the server'],
  ['upstream_provider_error', 'the other service failed'],
  ['upstream_timeout', 'the other service took too long'],
  ['internal_error', 'the server had an error'],
  ['aborted', 'it was stopped'],
  ['draining', 'the server was restarting'],
  ['unavailable', 'the server was not available'],
]);
const DOORS = new Map([
  ['http', 'API'],
  ['chat', 'Chat'],
  ['mcp', 'MCP'],
  ['widget', 'Widget'],
]);
const APPROVALS = new Map([
  ['once', 'allowed once'],
  ['session', 'allowed until the page closed'],
  ['chat', 'allowed in the chat'],
  ['auto', 'no approval needed'],
]);

/** @param {Call} call @returns {{word: string, tone: 'good' | 'bad' | 'open' | 'plain', reason: string}} */
export function outcomeOf({ status, error, upstreamStatus }) {
  const word = STATUSES.get(status) ?? status;
  const known = error ? (REASONS.get(error) ?? error) : '';
  const reason = upstreamStatus ? `${known} (HTTP ${upstreamStatus})` : known;
  return { word, tone: toneOf(status), reason };
}

/** @param {string} status @returns {'good' | 'bad' | 'open' | 'plain'} */
function toneOf(status) {
  if (status === 'succeeded') return 'good';
  if (status === 'accepted') return 'open';
  return status === 'failed' || status === 'refused' ? 'bad' : 'plain';
}

/** Whether a call has failed or was refused. @param {Call} call */
export function hasFailed({ status }) {
  return status === 'failed' || status === 'refused';
}

/** @param {number} ms @returns {string} "40 ms", "1.2 s", "3 min 5 s", "2 h 4 min" */
export function tookInWords(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const [large, small, units] = seconds < 3600 ? [60, 1, ['min', 's']] : [3600, 60, ['h', 'min']];
  return `${Math.floor(seconds / large)} ${units[0]} ${Math.floor((seconds % large) / small)} ${units[1]}`;
}

/** @param {Call} call @returns {string} "2 credits", "Free"; '' if the price is not known or nothing was charged */
export function priceInWords({ credits, payer, status }) {
  if (credits === undefined) return '';
  if (credits === 0) return status === 'succeeded' ? 'Free' : '';
  return payer === 'developer' ? `${creditsInWords(credits)}, paid by the owner` : creditsInWords(credits);
}

/** @param {Call} call @returns {string[]} further details, in a few words each */
export function factsOf({ door, approval, ms, status }) {
  const took = status === 'accepted' ? '' : tookInWords(ms);
  const allowed = approval ? (APPROVALS.get(approval) ?? approval) : '';
  return [DOORS.get(door) ?? door, allowed, took].filter(Boolean);
}
