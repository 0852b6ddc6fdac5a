// @ts-check
// Draws bars or a line. Every number is also shown as text.

import { createChoices, element, formatNumber } from '../../../browser/widgets/widget-ui.js';
import { scaleOf } from './series.js';

/** @typedef {import('./series.js').Mark} Mark */

const SPACE = 'http://www.w3.org/2000/svg';
const text = (/** @type {number} */ value) => formatNumber(value, 2);

/** @param {string} title @param {Mark[]} series @param {(item: any) => void} choose */
export function drawBars(title, series, choose) {
  const scale = scaleOf(series);
  const choices = series.map((mark) => ({ text: mark.label, about: text(mark.value), mark: bar(mark.value, scale), value: mark.item }));
  const list = createChoices(title, choices, choose);
  list.classList.add('bars');
  return list;
}

/** @param {number} value @param {ReturnType<typeof scaleOf>} scale */
function bar(value, { zero, at }) {
  const [from, to] = [zero, at(value)].sort((a, b) => a - b);
  const fill = element('span', { class: value < 0 ? 'fill negative' : 'fill' });
  fill.style.insetInlineStart = `${from * 100}%`;
  fill.style.width = `${(to - from) * 100}%`;
  return element('span', { class: 'bar', 'aria-hidden': 'true' }, fill);
}

/** @param {string} title @param {Mark[]} series */
export function drawLine(title, series) {
  const scale = scaleOf(series);
  const step = series.length > 1 ? 100 / (series.length - 1) : 0;
  const points = series.map(({ value }, at) => `${at * step},${100 - scale.at(value) * 100}`).join(' ');
  const drawing = shape('svg', { viewBox: '0 0 100 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' });
  const zero = 100 - scale.zero * 100;
  drawing.append(shape('line', { x1: 0, x2: 100, y1: zero, y2: zero, class: 'axis' }), shape('polyline', { points, class: 'line' }));
  const ends = series.length > 1 ? [series[0], series[series.length - 1]] : series;
  return element(
    'figure',
    { class: 'line-chart' },
    element('figcaption', { class: 'about' }, title),
    element('div', { class: 'plot' }, element('div', { class: 'limits about', 'aria-hidden': 'true' }, element('span', {}, text(scale.most)), element('span', {}, text(scale.least))), drawing),
    element('div', { class: 'ends about', 'aria-hidden': 'true' }, ...ends.map((mark) => element('span', {}, mark.label))),
    element('ul', { class: 'visually-hidden' }, ...series.map((mark) => element('li', {}, `${mark.label}: ${text(mark.value)}`))),
  );
}

/** @param {string} name @param {Record<string, any>} attributes */
function shape(name, attributes) {
  const node = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}
