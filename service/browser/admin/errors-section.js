// Errors by kind: replies that did not finish, calls that failed, and the error counts of this host.

import { createTable } from './table.js';
import { countOf, endingWords, time } from './words.js';
import { element } from '../shared/elements.js';

/**
 * @typedef {{status: string, reason: string | null, finishReason: string, count: number, lastAt: string}} Ending
 * @typedef {{integration: string, status: string, error: string | null, upstreamStatus: number | null, count: number, lastAt: string}} CallError
 * @typedef {{name: string, kind: string, count: number}} Counted
 */

const PERIODS = [
  { hours: 1, label: 'Last hour' },
  { hours: 24, label: 'Last 24 hours' },
  { hours: 168, label: 'Last 7 days' },
];

/** @param {import('./admin-view.js').AdminContext} context @returns {import('./admin-view.js').Section} */
export function createErrorsSection({ transport, reload }) {
  const options = PERIODS.map(({ hours, label }) => element('option', { value: hours, selected: hours === 24 }, label));
  const period = element('select', { class: 'field', 'aria-label': 'Period', on: { change: reload } }, ...options);
  const sums = element('p', { class: 'hint' });
  const replies = createTable({
    caption: 'Replies that did not finish',
    empty: 'Every stored reply was finished.',
    key: (/** @type {Ending} */ each) => endingWords(each),
    columns: [
      { label: 'Outcome', cell: endingWords },
      { label: 'Replies', number: true, cell: ({ count }) => String(count) },
      { label: 'Last', cell: ({ lastAt }) => time(lastAt) },
    ],
  });
  const calls = createTable({
    caption: 'Calls that failed or were refused',
    empty: 'No call failed or was refused.',
    key: (/** @type {CallError} */ each) => JSON.stringify([each.integration, each.status, each.error, each.upstreamStatus]),
    columns: [
      { label: 'Integration', cell: ({ integration }) => integration },
      { label: 'Error', cell: ({ error, upstreamStatus }) => `${error ?? 'unknown'}${upstreamStatus ? `, upstream ${upstreamStatus}` : ''}` },
      { label: 'Calls', number: true, cell: ({ count }) => String(count) },
      { label: 'Last', cell: ({ lastAt }) => time(lastAt) },
    ],
  });
  const host = createTable({
    caption: 'Counted on this host',
    empty: 'Nothing was counted.',
    key: (/** @type {Counted} */ each) => `${each.name} ${each.kind}`,
    columns: [
      { label: 'Source', cell: ({ name }) => name },
      { label: 'Error', cell: ({ kind }) => kind },
      { label: 'Count', number: true, cell: ({ count }) => String(count) },
    ],
  });
  const since = element('p', { class: 'hint' }, 'Since the service was started or reloaded on the host that answers. A reply that fails stores nothing, so it is counted here only.');
  const boxes = [
    titled('Replies that did not finish', replies.node),
    titled('Calls that failed or were refused', calls.node),
    titled('Counted on this host', since, host.node),
  ];

  return {
    node: element('section', { class: 'admin-section', 'aria-label': 'Errors' }, element('div', { class: 'admin-line' }, period, sums), ...boxes),
    async load() {
      const answer = await transport.get('/api/admin/errors', { hours: period.value });
      return () => show(answer);
    },
  };

  /** @param {any} answer */
  function show(answer) {
    const isWhole = answer.turns.isWhole && answer.calls.isWhole;
    sums.textContent = `${answer.turns.total === 1 ? '1 reply' : `${answer.turns.total} replies`} and ${countOf(answer.calls.total, 'call')}${isWhole ? '' : ', the newest 10 000 of each at most'}`;
    replies.show(joined(answer.turns.kinds.filter((/** @type {Ending} */ { status, finishReason }) => status !== 'finished' || finishReason !== 'stop')));
    calls.show(answer.calls.kinds);
    host.show([...counted(answer.host)]);
  }
}

/** Joins the endings with the same words, such as a stop within a text and one within a call. @param {Ending[]} endings @returns {Ending[]} */
export function joined(endings) {
  /** @type {Map<string, Ending>} */
  const byWords = new Map();
  for (const ending of endings) {
    const words = endingWords(ending);
    const before = byWords.get(words) ?? { ...ending, count: 0 };
    const lastAt = before.lastAt > ending.lastAt ? before.lastAt : ending.lastAt;
    byWords.set(words, { ...before, count: before.count + ending.count, lastAt });
  }
  return [...byWords.values()];
}

/** @param {string} title @param {...HTMLElement} nodes */
function titled(title, ...nodes) {
  return element('div', { class: 'admin-box' }, element('h3', {}, title), ...nodes);
}

/** @param {{turns: any[], upstreamCalls: any[], requests: any[]}} host @returns {Generator<Counted>} */
function* counted({ turns, upstreamCalls, requests }) {
  for (const { model, count } of turns) yield { name: `Replies of ${model}`, kind: 'failed', count };
  for (const { upstream, outcome, count } of upstreamCalls) yield { name: `Requests to ${upstream}`, kind: outcome, count };
  for (const { method, route, status, count } of requests) yield { name: `${method} ${route}`, kind: status, count };
}
