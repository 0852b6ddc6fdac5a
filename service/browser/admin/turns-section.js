// The replies that are running in all workers. Their content is not shown.

import { createAction } from './action.js';
import { createTable } from './table.js';
import { badge, shortId, time } from './words.js';
import { element } from '../shared/elements.js';

/**
 * @typedef {{turnId: string, chatId: string, subject: string, modelId: string | null, startedAt: string | null,
 *   worker: string, ending: boolean}} RunningTurn
 */

/** @param {import('./admin-view.js').AdminContext} context @returns {import('./admin-view.js').Section} */
export function createTurnsSection(context) {
  const action = createAction(context);
  const table = createTable({
    caption: 'Running replies',
    empty: 'No reply is running.',
    key: (/** @type {RunningTurn} */ turn) => turn.turnId,
    columns: [
      { label: 'User', cell: ({ subject }) => subject },
      { label: 'Model', cell: ({ modelId }) => modelId ?? '–' },
      { label: 'Started', cell: ({ startedAt }) => time(startedAt, '–') },
      { label: 'Chat', cell: ({ chatId }) => shortId(chatId) },
      { label: 'Worker', cell: ({ worker }) => shortId(worker) },
      { label: 'Action', cell: stopOf },
    ],
  });
  const rest = element('p', { class: 'hint', hidden: true });

  /** @param {RunningTurn} turn */
  function stopOf({ turnId, subject, ending }) {
    if (ending) return badge('Stopping', 'warn');
    const label = `Stop the reply to ${subject}`;
    return element('button', { type: 'button', class: 'quiet', 'aria-label': label, on: { click: () => stop(turnId, subject) } }, 'Stop');
  }

  /** @param {string} turnId @param {string} subject */
  function stop(turnId, subject) {
    const text = `The reply to ${subject} ends now. What was said so far is stored and charged, as if the user had stopped it.`;
    const path = `/api/admin/turns/${encodeURIComponent(turnId)}/stop`;
    action.ask({ title: 'Stop this reply?', text, action: 'Stop' }, () => context.transport.post(path));
  }

  return {
    node: element('section', { class: 'admin-section', 'aria-label': 'Running replies' }, action.problem, table.node, rest),
    async load() {
      const { turns, total } = await context.transport.get('/api/admin/turns');
      return () => {
        table.show(turns);
        rest.hidden = total <= turns.length;
        rest.textContent = `${total} replies run. These are the oldest ${turns.length}.`;
      };
    },
  };
}
