// Deletes records. A record that can be created again is deleted at once and can be restored with Undo; for any other
// record, the user is asked first.

import { ApiError, errorText } from '../shared/errors.js';
import { requestConfirmation } from '../page/confirm-dialog.js';
import { canCreateAgain, singularOf, titleOf, writableData } from './collections.js';
import { createUndoLine } from './undo-line.js';

/**
 * @typedef {import('./collections.js').Collection} Collection
 * @typedef {import('../shared/live-rows.js').Row} Row
 */

const NEW_ID = 'Created again, with a new id: links to the old one no longer work.';

/**
 * @param {Collection} collection
 * @param {{remove: (row: Row) => Promise<Row>, create: (data: Record<string, any>) => Promise<Row>}} rows
 * @param {{subject: string, announce: (sentence: string) => void, leave: () => void}} context
 *   `leave` moves the focus away when the undo line is closed
 */
export function createDeletion(collection, rows, { subject, announce, leave }) {
  const line = createUndoLine(announce, leave);
  /** @type {Map<string, Promise<boolean>>} by recordId, so that a double click deletes only once */
  const running = new Map();

  /** @param {Row} row */
  function confirm(row) {
    const isChat = collection.name === 'ai-chats';
    const text = `${isChat ? 'Its messages are deleted as well. ' : ''}This can’t be undone.`;
    return requestConfirmation({ title: `Delete “${titleOf(collection, row)}”?`, text, action: 'Delete' });
  }

  return {
    node: line.node,
    /** @param {Row} row @returns {Promise<boolean>} whether the record was deleted */
    remove(row) {
      const { recordId } = row;
      const done = running.get(recordId) ?? remove(row).finally(() => running.delete(recordId));
      running.set(recordId, done);
      return done;
    },
  };

  /** @param {Row} row */
  async function remove(row) {
    let last = row;
    if (!canCreateAgain(collection, row, subject) && !(await confirm(row))) return false;
    try {
      last = await rows.remove(row);
    } catch (error) {
      const isGone = error instanceof ApiError && error.status === 404;
      line.showText(isGone ? 'It had been deleted already.' : `It was not deleted. ${errorText(error)}`);
      return isGone;
    }
    if (canCreateAgain(collection, last, subject)) line.show(`Deleted “${titleOf(collection, last)}”.`, () => createAgain(last));
    else line.showText(`Deleted one ${singularOf(collection.name)}.`);
    return true;
  }

  /** @param {Row} row @returns {Promise<string>} the sentence for the user */
  async function createAgain(row) {
    await rows.create(writableData(collection, row));
    return NEW_ID;
  }
}
