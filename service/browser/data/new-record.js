// The draft of a new record, and the request that creates the record. The request goes on when the form is closed. If
// the user sends the same values again, even after a reload, no second record is created.

import { createStoredKey } from '../page/stored-keys.js';
import { createStoredForm } from './form-drafts.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {ReturnType<typeof createNewRecord>} NewRecord
 */

/** @param {import('../page/drafts.js').Drafts} drafts of this tab @param {string} collection */
export function createNewRecord(drafts, collection) {
  const form = createStoredForm(drafts, collection);
  const key = createStoredKey(drafts, `key:${collection}`);
  /** @type {Promise<Row> | null} */
  let running = null;

  function clear() {
    form.clear();
    key.clear();
    running = null;
  }

  return {
    ...form,
    clear,
    keys: key.keys,
    /** The running request, unless its form was discarded. */
    get running() {
      return running;
    },
    /** Runs the request, and clears the draft when the record is created, unless the user has typed since. @param {() => Promise<Row>} create */
    async run(create) {
      const text = form.text();
      const own = (running = create());
      try {
        const row = await own;
        if (running === own && form.text() === text) clear();
        return row;
      } finally {
        if (running === own) running = null;
      }
    },
  };
}
