// The actions of admins and of command-line commands, newest first.

import { createTable } from './table.js';
import { amount, time } from './words.js';
import { element } from '../shared/elements.js';
import { withCredits } from '../shared/number-words.js';

/** @typedef {{admin: string | null, action: string, subject: string, facts: Record<string, any>, createdAt: string}} Action */

const SHOWN = 100;

/** @param {import('./admin-view.js').AdminContext} context @returns {import('./admin-view.js').Section} */
export function createAuditSection({ transport }) {
  const table = createTable({
    caption: 'Audit',
    empty: 'No actions yet.',
    key: (/** @type {Action} */ action) => JSON.stringify(action),
    columns: [
      { label: 'Action', cell: sentence },
      { label: 'Note', cell: ({ facts }) => facts.note ?? '' },
      { label: 'Who', cell: ({ admin }) => admin ?? 'A command' },
      { label: 'When', cell: ({ createdAt }) => time(createdAt) },
    ],
  });
  const service = element('p', { class: 'hint' });
  return {
    node: element('section', { class: 'admin-section', 'aria-label': 'Audit' }, table.node, service),
    async load() {
      const { actions } = await transport.get('/api/admin/actions', { limit: SHOWN });
      const state = await transport.get('/api/admin/service');
      return () => {
        table.show(actions);
        service.textContent = about(state);
      };
    },
  };
}

/** @param {Action} action */
function sentence({ action, subject, facts }) {
  switch (action) {
    case 'role':
      return facts.role ? `Set the role of ${subject} to ${facts.role}` : `Left the role of ${subject} to the token`;
    case 'disable':
      return `Disabled ${subject}`;
    case 'enable':
      return `Enabled ${subject}`;
    case 'grant':
      return 'credits' in facts ? `Granted ${withCredits(amount(facts.credits))} to ${subject}` : `Granted credits to ${subject}`;
    case 'stop':
      return `Stopped a reply to ${subject}`;
    case 'erase':
      return `Erased a user, now ${subject}`;
    default:
      return `${action}: ${subject}`;
  }
}

/** @param {any} service */
function about({ version, sandbox, database, workers }) {
  const state = database.migrated ? `migrated to ${database.revision}` : `at ${database.revision}, but ${database.newest} is needed`;
  return `Version ${version}${sandbox ? ' with the sandbox' : ''}. Database: ${database.kind}, ${state}. Workers of this host: ${workers.configured}.`;
}
