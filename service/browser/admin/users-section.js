// The list of users, newest first, with a search.

import { badge, credits, roleWords, time } from './words.js';
import { createTable } from './table.js';
import { element, isFocusLost } from '../shared/elements.js';
import { hrefOf } from '../page/route.js';

/**
 * @typedef {{subject: string, email: string | null, name: string | null, role: string | null, disabled: boolean,
 *   createdAt: string, lastReplyAt: string | null, balance: number | null, held: number | null}} User
 */

const PAGE = 50;
const MOST = 200; // users in one request
const PAUSE = 250; // ms between the last key press and the search

/** @param {import('./admin-view.js').AdminContext} context @returns {import('./admin-view.js').Section} */
export function createUsersSection({ transport, reload }) {
  let limit = PAGE;
  let pending = 0;
  const search = element('input', {
    type: 'search',
    class: 'field admin-search',
    'aria-label': 'Search users',
    placeholder: 'Name, email or subject',
    maxlength: 255,
    on: { input: searchSoon },
  });
  const table = createTable({
    caption: 'Users',
    empty: 'No users found.',
    key: (/** @type {User} */ user) => user.subject,
    columns: [
      { label: 'User', cell: nameOf },
      { label: 'Role', cell: ({ role }) => roleWords(role) },
      { label: 'State', cell: ({ disabled }) => (disabled ? badge('Disabled', 'off') : badge('Enabled', 'good')) },
      { label: 'Credits', number: true, cell: ({ balance }) => credits(balance) },
      { label: 'Last reply', cell: ({ lastReplyAt }) => time(lastReplyAt) },
      { label: 'First seen', cell: ({ createdAt }) => time(createdAt) },
    ],
  });
  const more = element('button', { type: 'button', class: 'quiet', hidden: true, on: { click: showMore } }, 'Show more');
  const rest = element('p', { class: 'hint', hidden: true }, `These are the newest ${MOST}. Search to find others.`);

  function searchSoon() {
    clearTimeout(pending);
    pending = window.setTimeout(reload, PAUSE);
  }

  async function showMore() {
    const before = limit;
    limit = Math.min(limit + PAGE, MOST);
    await reload();
    if (more.hidden && isFocusLost()) table.node.querySelectorAll('a')[before]?.focus(); // the first new row
  }

  return {
    node: element('section', { class: 'admin-section', 'aria-label': 'Users' }, search, table.node, more, rest),
    async load() {
      const wanted = search.value.trim();
      const { users, nextCursor } = await transport.get('/api/admin/users', { search: wanted, limit });
      return () => {
        if (wanted !== search.value.trim()) return; // a later search is running
        table.show(users);
        more.hidden = !nextCursor || limit >= MOST;
        rest.hidden = !nextCursor || limit < MOST;
      };
    },
  };
}

/** @param {User} user */
function nameOf({ subject, name, email }) {
  const about = [name, email].filter((text) => text && text !== subject).join(' · ');
  const link = element('a', { href: hrefOf('admin', `users/${subject}`) }, subject);
  return element('span', { class: 'admin-name' }, link, about && element('span', { class: 'soft' }, about));
}
