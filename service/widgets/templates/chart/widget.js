// @ts-check
// Draws one number of each item: as bars, one of which can be chosen, or as a line.

import { createWidget, element, itemsOf } from '../../../browser/widgets/widget-ui.js';
import { drawBars, drawLine } from './drawing.js';
import { columnsFor, seriesOf } from './series.js';

/** @typedef {import('../../../browser/widgets/widget-values.js').Item} Item */

const { client, panel, isAlone, onSettings } = createWidget('Chart');
const number = select('Number');
const label = select('Label');
const kind = select('Kind', ['Bars', 'Line']);
const controls = element('div', { class: 'widget-line', hidden: true }, number, label, kind);
/** @type {Item[]} */
let items = [];
/** @type {{kind?: 'bars' | 'line', most?: number}} from the canvas; a standalone page has none */
let settings = {};
panel.controls.append(controls);
onSettings((next) => {
  settings = next;
  kind.hidden = settings.kind !== undefined;
  if (items.length) draw();
});
const CONNECT = 'Connect a widget that gives items with numbers, such as a table or the weather.';
panel.showEmpty(isAlone ? 'A chart draws the items of another widget. Add it to a canvas.' : CONNECT);
client.state.get().then((kept) => {
  restore(kept ?? {});
  client.onInput('items', (value) => receive(itemsOf(value)));
}).catch(panel.showProblem);

/** @param {string} name @param {string[]} [choices] */
function select(name, choices = []) {
  return element('select', { class: 'field small', 'aria-label': name, on: { change: changed } }, ...choices.map(option));
}

/** @param {string} name */
function option(name) {
  return element('option', { value: name }, name);
}

/** @type {Record<string, string>} what the user has chosen */
let wanted = {};

/** @param {Record<string, string>} kept */
function restore(kept) {
  wanted = kept;
  if (kept.kind) kind.value = kept.kind;
}

function changed() {
  wanted = { number: number.value, label: label.value, kind: kind.value };
  client.state.set(wanted).catch((error) => panel.showProblem(error));
  draw();
}

/** @param {Item[]} next */
function receive(next) {
  items = next;
  const { numbers, labels } = columnsFor(items);
  offer(number, numbers, wanted.number);
  offer(label, labels, wanted.label);
  draw();
}

/** @param {any} list @param {string[]} names @param {string} name which is selected if it exists */
function offer(list, names, name) {
  list.replaceChildren(...names.map(option));
  if (names.includes(name)) list.value = name;
}

function draw() {
  controls.hidden = !number.options.length;
  const series = seriesOf(items.slice(0, settings.most), label.value, number.value);
  if (!series.length) return panel.showEmpty(items.length ? 'These items have no numbers to draw.' : 'There are no items yet.');
  const title = `${number.value} by ${label.value || 'place in the list'}`;
  const isLine = (settings.kind ?? kind.value.toLowerCase()) === 'line';
  const focused = bars().indexOf(/** @type {any} */ (document.activeElement));
  panel.show(isLine ? drawLine(title, series) : drawBars(title, series, choose));
  if (focused >= 0) (bars()[Math.min(focused, bars().length - 1)] ?? number).focus(); // the node of the focused bar was replaced
  return panel.say('');
}

/** @returns {HTMLElement[]} the buttons of the bars */
function bars() {
  return [...panel.content.querySelectorAll('button')];
}

/** @param {Item} item */
function choose(item) {
  client.setOutput('item', item);
  panel.say('The item is chosen.');
}
