// The page of one user: the account, the rights, and forms to change them.

import { amount, badge, credits, roleWords, time } from './words.js';
import { createGrantForm } from './grant-form.js';
import { createRightsForm } from './rights-form.js';
import { createTable } from './table.js';
import { element } from '../shared/elements.js';
import { withCredits } from '../shared/number-words.js';
import { hrefOf } from '../page/route.js';
import { ApiError } from '../shared/errors.js';

/** @typedef {import('./users-section.js').User & {stored: {records: Record<string, number>, media: number, turns: number, grants: string[]}}} WholeUser */

/** @typedef {{entryId: string, amount: number, what: string, facts: {note?: string}, createdAt: string}} Entry */

/**
 * @param {import('./admin-view.js').AdminContext} context @param {string} subject
 * @returns {import('./admin-view.js').Section}
 */
export function createUserPage(context, subject) {
  const { transport } = context;
  const facts = element('dl', { class: 'admin-facts' });
  const rights = createRightsForm(context, subject);
  const grant = createGrantForm(context, subject);
  const entries = createTable({
    caption: 'Newest entries',
    empty: 'No entries yet.',
    key: (/** @type {Entry} */ entry) => entry.entryId,
    columns: [
      { label: 'Entry', cell: ({ what }) => what },
      { label: 'Credits', number: true, cell: (entry) => amount(entry.amount) },
      { label: 'Note', cell: ({ facts: { note } }) => note ?? '' },
      { label: 'When', cell: ({ createdAt }) => time(createdAt) },
    ],
  });
  const back = element('a', { href: hrefOf('admin', 'users') }, 'All users');
  const account = element('div', { class: 'admin-box' }, element('h3', {}, 'Credits'), grant.node, entries.node);
  const title = element('h3', { class: 'admin-subject' }, subject);
  const missing = element('p', { class: 'admin-empty', role: 'status', hidden: true });
  const whole = [title, facts, rights.node, account];
  for (const part of whole) part.hidden = true; // hidden until the server confirms that the user exists

  /** @param {boolean} isThere */
  function showWhole(isThere) {
    for (const part of whole) part.hidden = !isThere;
    missing.hidden = isThere;
    missing.textContent = isThere ? '' : `There is no user ${subject}.`;
  }

  return {
    node: element('section', { class: 'admin-section', 'aria-label': subject }, back, missing, ...whole),
    async load() {
      const path = encodeURIComponent(subject);
      const user = await nullIfMissing(transport.get(`/api/admin/users/${path}`));
      const newest = user ? await statement(transport, path) : [];
      return () => {
        showWhole(user !== null);
        if (user) show(user, newest);
      };
    },
  };

  /** @param {WholeUser} user @param {Entry[]} newest */
  function show(user, newest) {
    facts.replaceChildren(...factsOf(user));
    rights.show(user);
    entries.show(newest);
  }
}

/** @param {import('../shared/api-transport.js').Transport} transport @param {string} path @returns {Promise<Entry[]>} */
async function statement(transport, path) {
  const account = await nullIfMissing(transport.get(`/api/admin/credits/${path}`, { limit: 10 }));
  return account?.entries ?? []; // an account is created when it is first used
}

/** @template T @param {Promise<T>} answer @returns {Promise<T | null>} null if the server answers that it does not exist */
async function nullIfMissing(answer) {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** @param {WholeUser} user */
function* factsOf(user) {
  const { records, media, turns, grants } = user.stored;
  const counts = Object.entries(records).map(([name, count]) => `${name}: ${count}`);
  if (media) counts.push(`media: ${media}`);
  yield* fact('Name', user.name ?? '–');
  yield* fact('Email', user.email ?? '–');
  yield* fact('State', user.disabled ? badge('Disabled', 'off') : badge('Enabled', 'good'));
  yield* fact('Role', roleWords(user.role));
  yield* fact('Balance', `${withCredits(credits(user.balance))}${user.held ? `, ${credits(user.held)} of them on hold` : ''}`);
  yield* fact('First seen', time(user.createdAt));
  yield* fact('Last reply', time(user.lastReplyAt));
  yield* fact('Replies', String(turns));
  yield* fact('Stored', counts.join(', ') || 'nothing');
  yield* fact('Connected', grants.join(', ') || 'nothing');
}

/** @param {string} term @param {Node | string} value */
function* fact(term, value) {
  yield element('dt', {}, term);
  yield element('dd', {}, value);
}
