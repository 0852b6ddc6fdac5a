// @ts-check
// Shows the records of a collection, which are kept up to date, or the items from another widget.

import { createWidget, element, itemsOf, labelled } from '../../../browser/widgets/widget-ui.js';
import { createGrid } from './grid.js';

/** @typedef {{collection: string, items: Record<string, unknown>[], empty: string, end: () => void}} Rows `collection` is '' for items of another widget; `empty` is shown if there are no items */

const HIDDEN = new Set(['userId']); // the owner of the records is the user
const TOO_LARGE = 'This is too large to be passed on to other widgets.';

const { client, panel, isAlone } = createWidget('Table');
const START = isAlone ? 'Choose a collection.' : 'Choose a collection, or connect a widget that gives items.';
const select = element('select', { class: 'field', on: { change: choose } }, element('option', { value: '' }, 'Choose…'));
const grid = createGrid({ onRow: send, onOrder: (rows) => (isPassed = pass('rows', { value: rows })) });
/** @type {Rows} */
const NOTHING = { collection: '', items: [], empty: START, end: () => {} };
let shown = NOTHING;
/** @type {Rows | null} of a collection that is being loaded; until they have come, those on the screen stay and are kept up to date */
let loading = null;
let isPassed = true; // whether the rows were sent to other widgets
panel.controls.append(labelled('Collection', select));
panel.showEmpty(START);
begin().catch(panel.showProblem);

async function begin() {
  for (const name of (panel.main.dataset.collections ?? '').split(' ').filter(Boolean)) select.append(element('option', { value: name }, name));
  const kept = await client.state.get();
  if (typeof kept?.collection === 'string' && !select.value) select.value = kept.collection;
  if (select.value) follow(select.value);
  client.onInput('items', (value) => showItems(itemsOf(value)));
}

/** @param {Record<string, unknown>[]} items */
function showItems(items) {
  stopLoading();
  select.value = '';
  replace({ ...NOTHING, items, empty: 'The widget before this one gives no items.' });
  panel.run(async () => null, show); // ends the loading of a collection, if one is still being loaded
}

function choose() {
  keepChoice();
  if (select.value) return follow(select.value);
  stopLoading();
  replace(NOTHING);
  return panel.showEmpty(START);
}

function keepChoice() {
  client.state.set({ collection: select.value }).catch((error) => panel.showProblem(error));
}

/** @param {string} collection */
function follow(collection) {
  stopLoading();
  /** @type {Rows} */
  const rows = { ...NOTHING, collection, empty: `There is nothing in “${collection}” yet. New records appear here.` };
  panel.run(({ signal }) => new Promise((resolve, reject) => {
    loading = rows;
    if (shown === NOTHING) panel.show(); // a collection is chosen
    signal.addEventListener('abort', () => rows === loading && cancel());
    rows.end = client.records.subscribe(collection, {
      onRecords(records) {
        rows.items = records.map(itemOf);
        if (rows === loading) {
          loading = null;
          replace(rows);
        }
        resolve(null);
        if (rows === shown && !loading) show();
      },
      onError(error) {
        reject(error);
        if (rows === shown && !loading) return panel.showProblem(error, () => follow(collection)); // the action is over, so that nothing else shows it
        if (rows === loading) {
          loading = null;
          panel.show(); // no rows of another collection
        } else if (rows !== shown) return;
        replace(NOTHING);
      },
    });
  }), showWarning);
}

/** Shows the rows before those that are being loaded, and what they are of. */
function cancel() {
  stopLoading();
  select.value = shown.collection;
  keepChoice();
  show();
}

function stopLoading() {
  loading?.end();
  loading = null;
}

/** @param {Rows} rows that take the place of those on the screen */
function replace(rows) {
  shown.end();
  shown = rows;
}

/** @param {any} record the envelope of a record */
function itemOf(record) {
  return Object.fromEntries(Object.entries(record.data).filter(([name]) => !HIDDEN.has(name)));
}

function show() {
  grid.set(shown.items);
  if (!shown.items.length) panel.showEmpty(shown.empty);
  else if (!grid.node.isConnected) panel.show(grid.node);
  showWarning();
}

function showWarning() {
  if (!isPassed) panel.say(TOO_LARGE);
}

/** @param {Record<string, unknown>} item */
function send(item) {
  const texts = Object.values(item).filter((value) => value !== null && typeof value !== 'object');
  const isSent = pass('row', item) && pass('text', { value: texts.join('\n') });
  panel.say(isSent ? 'The row is chosen.' : TOO_LARGE);
}

/** Sends a value to other widgets, unless it is too large. @param {string} slotId @param {Record<string, unknown>} value @returns {boolean} whether it was sent */
function pass(slotId, value) {
  try {
    client.setOutput(slotId, value);
    return true;
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'too_large') throw error;
    return false;
  }
}
