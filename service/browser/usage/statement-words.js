// Describes the entries of an account in words, and writes them as CSV. Does not use the DOM.
// @ts-check

import { formatNumber } from '../shared/number-words.js';

/** @typedef {{entryId: string, kind: 'grant' | 'charge' | 'rest', amount: number, what: string, ref: string, facts: Record<string, any>, createdAt: string}} Entry */

const COLUMNS = ['createdAt', 'kind', 'what', 'amount', 'door', 'approval', 'ref', 'entryId', 'note'];
const DOORS = new Map([['chat', 'Chat'], ['mcp', 'MCP'], ['widget', 'Widget']]);
const APPROVALS = new Map([
  ['once', 'allowed once'],
  ['session', 'allowed until the page closed'],
  ['chat', 'allowed in the chat'],
]);

/** @param {Entry} entry @returns {string} */
export function titleOf({ kind, what }) {
  if (kind !== 'grant' && what === 'interrupted') return 'A reply that was cut off';
  return what ? what[0].toUpperCase() === what[0] || kind !== 'grant' ? what : what[0].toUpperCase() + what.slice(1) : 'Entry';
}

/** @param {Entry} entry @returns {string} further details; '' for none */
export function noteOf({ kind, facts }) {
  const rest = kind === 'rest' ? 'rest of an earlier charge' : '';
  const loss = facts.loss ? 'more was used than the balance had' : '';
  return [DOORS.get(facts.door), APPROVALS.get(facts.approval), rest, loss, facts.note].filter(Boolean).join(', ');
}

/** @param {number} amount @returns {string} "+1,000", "−2.5" */
export function signedNumber(amount) {
  const text = formatNumber(Math.abs(amount), 6);
  return `${amount < 0 ? '−' : '+'}${text}`;
}

/** @param {Entry[]} entries @returns {string} RFC 4180 */
export function csvOf(entries) {
  const rows = entries.map((entry) => COLUMNS.map((name) => cell(name in entry ? /** @type {any} */ (entry)[name] : entry.facts[name])));
  return [COLUMNS, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

/** A CSV cell. An apostrophe is put before a text that a spreadsheet would read as a formula. @param {any} value */
function cell(value) {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
