// The overview for operators: running replies, today's spending, errors, and integrations with problems.

import { createTable } from './table.js';
import { badge, countOf, credits, endingWords, time } from './words.js';
import { element } from '../shared/elements.js';
import { formatNumber } from '../shared/number-words.js';
import { hrefOf } from '../page/route.js';
import { joined } from './errors-section.js';
import { nameOf, stateOf } from './integrations-section.js';

/**
 * @typedef {import('./errors-section.js').Ending} Ending
 * @typedef {import('./errors-section.js').CallError} CallError
 * @typedef {import('./integrations-section.js').IntegrationState} IntegrationState
 * @typedef {{what: string, error: string, count: number, lastAt: string | null}} Failure
 */

const HOURS = 1;

/** @param {import('./admin-view.js').AdminContext} context @returns {import('./admin-view.js').Section} */
export function createOverviewSection({ transport }) {
  const running = createTile('Running replies');
  const users = createTile('Active today');
  const spent = createTile('Credits today');
  const failed = createTile('Errors');
  const tiles = [running, users, spent, failed].map(({ node }) => node);
  const failures = createTable({
    caption: 'Errors',
    empty: 'Nothing failed.',
    key: (/** @type {Failure} */ each) => `${each.what} ${each.error}`,
    columns: [
      { label: 'Source', cell: ({ what }) => what },
      { label: 'Error', cell: ({ error }) => error },
      { label: 'Count', number: true, cell: ({ count }) => String(count) },
      { label: 'Last', cell: ({ lastAt }) => time(lastAt, '–') },
    ],
  });
  const troubled = createTable({
    caption: 'Integrations with problems',
    empty: 'All integrations work.',
    key: (/** @type {IntegrationState} */ each) => each.integration,
    columns: [
      { label: 'Integration', cell: nameOf },
      { label: 'State', cell: troubleOf },
      { label: 'Calls, 1 h', number: true, cell: ({ calls }) => String(calls.total) },
      { label: 'Failed', number: true, cell: ({ calls }) => String(calls.failed) },
    ],
  });

  return {
    node: element(
      'section',
      { class: 'admin-section', 'aria-label': 'Overview' },
      element('dl', { class: 'admin-tiles' }, ...tiles),
      boxed('Errors', failures.node, link('errors', 'All errors')),
      boxed('Integrations with problems', troubled.node, link('integrations', 'All integrations')),
    ),
    async load() {
      const paths = ['turns', 'today', 'errors', 'integrations'];
      const [turns, today, errors, integrations] = await Promise.all(
        paths.map((path) => transport.get(`/api/admin/${path}`, ['errors', 'integrations'].includes(path) ? { hours: HOURS } : {})),
      );
      return () => {
        showTiles(turns, today, [...failuresOf(errors)]);
        troubled.show(integrations.integrations.filter((/** @type {IntegrationState} */ { breaker, calls }) => breaker.state !== 'closed' || calls.failed));
      };
    },
  };

  /** @param {any} turns @param {any} today @param {Failure[]} kinds */
  function showTiles(turns, today, kinds) {
    running.show(turns.total, turns.turns[0]?.startedAt ? ['oldest: ', time(turns.turns[0].startedAt)] : ['none']);
    users.show(today.activeUsers, [`of ${countOf(today.users, 'user')}, ${formatNumber(today.newUsers)} new`]);
    const counts = `${today.turns.count === 1 ? '1 reply' : `${formatNumber(today.turns.count)} replies`}, ${countOf(today.calls.count, 'call')}`;
    spent.show(credits(today.turns.credits + today.calls.credits), [today.isWhole ? counts : `the newest: ${counts}`]);
    failed.show(countIn(kinds), [periodOf(kinds)]);
    failures.show(kinds);
  }
}

/** The failures of this service and of vendors. A reply that its user has stopped is not an error.
 * A failed reply stores nothing, so such replies are known only from the counts of the answering host since its start.
 * @param {{turns: {kinds: Ending[]}, calls: {kinds: CallError[]}, host: {turns: {model: string, count: number}[]}}} errors
 * @returns {Generator<Failure>} */
function* failuresOf({ turns, calls, host }) {
  for (const kind of joined(turns.kinds.filter(isError))) {
    yield { what: 'Replies', error: endingWords(kind), count: kind.count, lastAt: kind.lastAt };
  }
  for (const { integration, status, error, upstreamStatus, count, lastAt } of calls.kinds) {
    if (status !== 'failed') continue;
    yield { what: `Calls of ${integration}`, error: `${error ?? 'unknown'}${upstreamStatus ? `, upstream ${upstreamStatus}` : ''}`, count, lastAt };
  }
  for (const { model, count } of host.turns) yield { what: `Replies of ${model}`, error: 'failed, since the start of this host', count, lastAt: null };
}

/** @param {Ending} ending */
function isError({ status, reason, finishReason }) {
  return status === 'aborted' ? reason === 'drain' : finishReason !== 'stop';
}

/** @param {Failure[]} kinds */
function countIn(kinds) {
  return kinds.reduce((sum, { count }) => sum + count, 0);
}

/** The period of the errors. The counts of a host have no time. @param {Failure[]} kinds */
function periodOf(kinds) {
  const [recent, counted] = [true, false].map((isDated) => countIn(kinds.filter(({ lastAt }) => Boolean(lastAt) === isDated)));
  if (!counted) return recent ? 'in the last hour' : 'none in the last hour';
  return recent ? `${recent} in the last hour, ${counted} since the start of this host` : 'since the start of this host';
}

/** @param {IntegrationState} state */
function troubleOf(state) {
  return state.breaker.state === 'closed' ? badge('Calls fail', 'warn') : stateOf(state);
}

/** @param {string} label */
function createTile(label) {
  const figure = element('dd', { class: 'admin-figure' }, '–');
  const hint = element('dd', { class: 'soft' });
  return {
    node: element('div', { class: 'admin-tile' }, element('dt', {}, label), figure, hint),
    /** @param {number | string} value @param {(string | HTMLElement)[]} words */
    show(value, words) {
      figure.textContent = typeof value === 'number' ? formatNumber(value) : value;
      hint.replaceChildren(...words);
    },
  };
}

/** @param {string} section @param {string} text */
function link(section, text) {
  return element('a', { href: hrefOf('admin', section) }, text);
}

/** @param {string} title @param {...HTMLElement} nodes */
function boxed(title, ...nodes) {
  return element('div', { class: 'admin-box' }, element('h3', {}, title), ...nodes);
}
