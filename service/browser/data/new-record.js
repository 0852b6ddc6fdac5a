// What is typed into the form of a new record, and its create while that is under way. A create goes on when its
// form is left. Pressed again for the same values, also after a reload, it makes no second record.

import { createKeptKey } from '../page/kept-key.js';
import { createKeptForm } from './form-drafts.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {ReturnType<typeof createNewRecord>} NewRecord
 */

/** @param {import('../page/drafts.js').Drafts} drafts of this tab @param {string} collection */
export function createNewRecord(drafts, collection) {
  const form = createKeptForm(drafts, collection);
  const key = createKeptKey(drafts, `key:${collection}`);
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
    /** The create under way, unless its form was thrown away. */
    get running() {
      return running;
    },
    /** Clears the draft when the record is made, unless something else was typed since. @param {() => Promise<Row>} create */
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
