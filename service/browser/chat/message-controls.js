// The controls of messages and the details of each reply. This module is loaded after the first page is shown.

import { letArrowsMoveBetweenMessages } from './action-bar.js';
import { createOwnActions } from './own-message.js';
import { createReplyChanges } from './reply-changes.js';
import { createReplyFooter } from './reply-footer.js';
import { createTurnNote } from './turn-note.js';
import { createTurnRecords } from './turn-records.js';

/** @typedef {ReturnType<typeof createMessageControls>} MessageControls */

/**
 * @param {object} context
 * @param {import('./message-actions.js').Actions} context.actions
 * @param {HTMLElement} context.list of the messages
 * @param {import('../shared/records-socket.js').RecordsSocket} context.socket
 */
export function createMessageControls({ actions, list, socket }) {
  letArrowsMoveBetweenMessages(list);
  const changes = createReplyChanges(actions.transport);
  return {
    turns: createTurnRecords({ transport: actions.transport, socket }),
    note: createTurnNote(actions, changes),
    /** @param {'user' | 'assistant'} role @param {HTMLElement} body of the message */
    of: (role, body) => (role === 'user' ? createOwnActions(body, actions) : createReplyFooter(body, actions, changes)),
  };
}
