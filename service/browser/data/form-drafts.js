// Keeps the unsaved input of a record's form, so that it survives a reload.

/** @typedef {ReturnType<typeof createStoredForm>} StoredForm */

/**
 * @param {import('../page/drafts.js').Drafts} drafts of this tab
 * @param {string} collection
 * @param {string} [recordId] absent for a new record
 */
export function createStoredForm(drafts, collection, recordId = '') {
  const name = `form:${collection}:${recordId}`;
  return {
    exists: () => drafts.get(name) !== '',
    text: () => drafts.get(name),
    /** @param {import('./record-form.js').RecordForm} form */
    keep(form) {
      drafts.set(name, form.isChanged() ? JSON.stringify(form.draft()) : '');
    },
    /** @param {import('./record-form.js').RecordForm} form */
    restore: (form) => form.restore(JSON.parse(drafts.get(name) || 'null')),
    clear: () => drafts.set(name, ''),
  };
}
