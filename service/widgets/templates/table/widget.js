// @ts-check
// Shows the records of a collection, which are kept up to date, or the items from another widget.

import { createWidget, element, itemsOf, labelled } from '../../../browser/widgets/widget-ui.js';
import { createGrid } from './grid.js';

const HIDDEN = new Set(['userId']); // the owner of the records is the user
const TOO_LARGE = 'This is too large to be passed on to other widgets.';

const { client, panel, isAlone } = createWidget('Table');
const START = isAlone ? 'Choose a collection.' : 'Choose a collection, or connect a widget that gives items.';
const select = element('select', { class: 'field', on: { change: choose } }, element('option', { value: '' }, 'Choose…'));
const grid = createGrid({ onRow: send, onOrder: (rows) => (isPassed = pass('rows', { value: rows })) });
let stop = () => {};
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
  stop();
  select.value = '';
  panel.run(async () => null, () => show(items, 'The widget before this one gives no items.')); // ends the loading of a collection, if one is still being loaded
}

function choose() {
  client.state.set({ collection: select.value }).catch((error) => panel.showProblem(error));
  if (select.value) return follow(select.value);
  stop();
  return panel.showEmpty(START);
}

/** @param {string} name */
function follow(name) {
  stop();
  panel.run(
    () => new Promise((resolve, reject) => {
      let isRead = false;
      stop = client.records.subscribe(name, {
        onRecords(records) {
          isRead = true;
          resolve(null);
          show(records.map(itemOf), `There is nothing in “${name}” yet. New records appear here.`);
        },
        onError(error) {
          reject(error);
          if (isRead) panel.showProblem(error, () => follow(name)); // the action is over, so that nothing else shows it
        },
      });
    }),
    showWarning,
  );
}

/** @param {any} record the envelope of a record */
function itemOf(record) {
  return Object.fromEntries(Object.entries(record.data).filter(([name]) => !HIDDEN.has(name)));
}

/** @param {Record<string, unknown>[]} items @param {string} empty */
function show(items, empty) {
  grid.set(items);
  if (!items.length) panel.showEmpty(empty);
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
