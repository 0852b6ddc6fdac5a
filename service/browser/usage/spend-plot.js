// The credits spent each day, as a bar chart and as a table. The arrow keys move from day to day.
// @ts-check

import { element } from '../shared/elements.js';
import { numberInWords } from '../shared/number-words.js';
import { barsOf, dayInWords, labelledDays, sentenceOf, ticksOf, topOf } from './spend-scale.js';

/** @typedef {import('./spend-scale.js').Day} Day */

const SVG = 'http://www.w3.org/2000/svg';
const LABELS = 6;
/** @type {Record<string, (at: number, last: number) => number>} */
const KEYS = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageUp: (at) => at - 7,
  PageDown: (at) => at + 7,
  Home: () => 0,
  End: (_, last) => last,
};

export function createSpendPlot() {
  /** @type {Day[]} */
  let days = [];
  let at = 0;
  const said = element('p', { class: 'plot-value' });
  const ticks = element('div', { class: 'plot-ticks', 'aria-hidden': 'true' });
  const labels = element('div', { class: 'plot-labels', 'aria-hidden': 'true' });
  const area = element('div', {
    class: 'plot-area', role: 'slider', tabindex: '0', 'aria-label': 'Day', 'aria-orientation': 'horizontal',
    on: { keydown: press, pointermove: point, pointerdown: point },
  });
  const plot = element('div', { class: 'plot' }, ticks, area, labels);
  const rows = element('tbody', {});
  const table = createDayTable(rows);
  const button = element('button', { type: 'button', class: 'quiet', on: { click: toggle } });
  const head = element('div', { class: 'usage-box-head' }, element('h3', {}, 'Spend per day'), said, button);
  const node = element('section', { class: 'usage-box', 'aria-label': 'Spend per day' }, head, plot, table);
  showTable(false);

  function toggle() {
    showTable(table.hidden);
  }

  /** @param {boolean} asTable */
  function showTable(asTable) {
    table.hidden = !asTable;
    plot.hidden = said.hidden = asTable;
    button.textContent = asTable ? 'Show as plot' : 'Show as table';
  }

  /** @param {KeyboardEvent} event */
  function press(event) {
    const move = KEYS[event.key];
    if (!move) return;
    event.preventDefault();
    pick(move(at, days.length - 1));
  }

  /** @param {PointerEvent} event */
  function point(event) {
    const { left, width } = area.getBoundingClientRect();
    if (width) pick(Math.floor(((event.clientX - left) / width) * days.length));
  }

  /** @param {number} wanted */
  function pick(wanted) {
    if (!days.length) return;
    at = Math.min(Math.max(wanted, 0), days.length - 1);
    for (const [number, bar] of [...area.querySelectorAll('.plot-bar')].entries()) {
      bar.toggleAttribute('data-picked', number === at);
    }
    said.textContent = sentenceOf(days[at]);
    area.setAttribute('aria-valuenow', String(at));
    area.setAttribute('aria-valuetext', said.textContent);
  }

  return {
    node,
    /** @param {Day[]} shown the oldest first */
    show(shown) {
      const picked = at < days.length - 1 ? days[at].day : ''; // if the last day was selected, the new last day becomes selected
      days = shown;
      const most = Math.max(0, ...days.map(({ credits }) => credits));
      ticks.replaceChildren(...ticksOf(topOf(most)).map((tick) => element('span', {}, numberInWords(tick))));
      area.replaceChildren(drawingOf(days));
      area.setAttribute('aria-valuemin', '0');
      area.setAttribute('aria-valuemax', String(days.length - 1));
      labels.replaceChildren(...labelsOf(days));
      rows.replaceChildren(...[...days].reverse().map(rowOf));
      const found = days.findIndex(({ day }) => day === picked);
      pick(found < 0 ? days.length - 1 : found);
    },
  };
}

/** @param {HTMLElement} rows */
function createDayTable(rows) {
  const names = ['Day', 'Credits', 'Calls'].map((name) => element('th', { scope: 'col' }, name));
  const table = element('table', {}, element('caption', { class: 'visually-hidden' }, 'Spend per day'), element('thead', {}, element('tr', {}, ...names)), rows);
  return element('div', { class: 'usage-table scrolling', tabindex: '0', role: 'region', 'aria-label': 'Spend per day, as a table' }, table);
}

/** @param {Day} day */
function rowOf({ day, credits, calls }) {
  const name = element('th', { scope: 'row' }, dayInWords(day, true));
  return element('tr', {}, name, element('td', {}, numberInWords(credits)), element('td', {}, numberInWords(calls)));
}

/** @param {Day[]} days */
function labelsOf(days) {
  return labelledDays(days.length, LABELS).map((number) => {
    const label = element('span', {}, dayInWords(days[number].day));
    label.style.left = `min(${((number + 0.5) / days.length) * 100}%, 100% - 1.8em)`; // the last one ends with the plot
    return label;
  });
}

/** @param {Day[]} days */
function drawingOf(days) {
  const drawing = shape('svg', { viewBox: `0 0 ${days.length} 100`, preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const lines = [0, 50, 100].map((y) => shape('line', { class: 'plot-line', x1: 0, x2: days.length, y1: y, y2: y }));
  const bars = barsOf(days).map((bar) => shape('rect', { class: 'plot-bar', ...bar }));
  drawing.append(...lines, ...bars);
  return drawing;
}

/** @param {string} name @param {Record<string, string | number>} attributes */
function shape(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}
