// What is typed into the form of a new record, and its create while that is under way. A create goes on when its
// form is left. Pressed again for the same values, also after a reload, it makes no second record.

import { createKeptForm } from './form-drafts.js';

/**
 * @typedef {import('../shared/live-rows.js').Row} Row
 * @typedef {ReturnType<typeof createNewRecord>} NewRecord
 */

/** @param {import('../page/drafts.js').Drafts} drafts of this tab @param {string} collection */
export function createNewRecord(drafts, collection) {
  const form = createKeptForm(drafts, collection);
  const keyName = `key:${collection}`;
  /** @type {{body: string, key: string} | null} the key of a create without an answer, and what it creates */
  let pending = JSON.parse(drafts.get(keyName) || 'null');
  /** @type {Promise<Row> | null} */
  let running = null;

  /** @param {typeof pending} next */
  function setPending(next) {
    pending = next;
    drafts.set(keyName, next ? JSON.stringify(next) : '');
  }

  function clear() {
    form.clear();
    setPending(null);
    running = null;
  }

  return {
    ...form,
    clear,
    /** @type {import('./record-writes.js').Keys} */
    keys: {
      get: (body) => (pending?.body === body ? pending.key : undefined),
      set: (body, key) => setPending({ body, key }),
      delete: (body) => void (pending?.body === body && setPending(null)),
    },
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
