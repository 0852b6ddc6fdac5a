// The scale of the spending chart, and its values in words. Does not use the DOM.
// @ts-check

import { quantityWords } from '../calls/value-words.js';
import { numberInWords, withCredits } from '../shared/number-words.js';
import { formatTime, shortDay } from '../shared/time-format.js';

/** @typedef {{day: string, credits: number, calls: number}} Day */

const STEPS = [1, 2, 4, 5, 10];

/** @param {number} most @returns {number} the smallest round number that is not below `most`; 1 if `most` is 0 */
export function topOf(most) {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = STEPS.find((one) => one * power >= most * (1 - 1e-9)) ?? 10;
  return Number((step * power).toPrecision(3));
}

/** @param {number} top @returns {number[]} from `top` to 0, in even steps */
export function ticksOf(top) {
  return [top, top / 2, 0];
}

/**
 * One bar per day. Each day is one unit wide, and the chart is 100 units high. Even a small amount has a visible bar;
 * a day on which more was refunded than spent has no bar.
 * @param {Day[]} days @returns {{x: number, y: number, width: number, height: number}[]}
 */
export function barsOf(days) {
  const top = topOf(Math.max(0, ...days.map(({ credits }) => credits)));
  return days.map(({ credits }, at) => {
    const height = credits > 0 ? Math.max((credits / top) * 100, 1) : 0;
    return { x: at + 0.14, y: 100 - height, width: 0.72, height };
  });
}

/** @param {number} count @param {number} most labels @returns {number[]} the days with a label, including the last day */
export function labelledDays(count, most) {
  const step = Math.ceil(count / most);
  const first = (count - 1) % step;
  return Array.from({ length: count }, (_, at) => at).filter((at) => at % step === first);
}

/** @param {string} day such as "2026-11-23" @param {boolean} [whole] with the weekday @returns {string} "23 Nov" */
export function dayInWords(day, whole = false) {
  return whole ? formatTime(day, { weekday: 'short', day: 'numeric', month: 'short' }) : shortDay(day);
}

/** @param {number} credits @returns {string} "1.5 credits" */
export function creditsInWords(credits) {
  return withCredits(numberInWords(credits));
}

/** @param {Day} day @returns {string} "Mon 23 Nov: 1.5 credits, 3 calls" */
export function sentenceOf({ day, credits, calls }) {
  return `${dayInWords(day, true)}: ${creditsInWords(credits)}, ${quantityWords(calls, 'call')}`;
}

/** @param {number} part @param {number} whole @returns {string} "12 %" */
export function shareInWords(part, whole) {
  if (!(whole > 0) || part <= 0) return '0 %';
  const share = (part / whole) * 100;
  if (share < 1) return 'under 1 %';
  const rounded = Math.round(share);
  return rounded === 100 && part < whole ? 'over 99 %' : `${numberInWords(rounded)} %`; // other sources have a share too
}
