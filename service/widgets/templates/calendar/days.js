// @ts-check
// Days and times of events, in the user's own time zone. A whole day has no time zone.

import { formatTime, timeOfDay, toLocalInput } from '../../../browser/shared/when.js';

/** @typedef {{start: string, end: string, allDay: boolean}} Span */

/** @param {Span} event @returns {Date} midnight for a whole day */
function beginOf({ start, allDay }) {
  return new Date(allDay ? `${start.slice(0, 10)}T00:00:00` : start);
}

/** In the order of the days, whole days first. @param {Span} one @param {Span} other */
export function byBegin(one, other) {
  return beginOf(one).getTime() - beginOf(other).getTime() || Number(other.allDay) - Number(one.allDay);
}

/** @param {Span} event @returns {string} "Today", "Tomorrow", "Tue 24 November" */
export function dayOf(event, now = new Date()) {
  const at = beginOf(event);
  const midnight = (/** @type {Date} */ date) => new Date(date).setHours(0, 0, 0, 0);
  const distance = Math.round((midnight(at) - midnight(now)) / 86_400_000);
  if (distance === 0) return 'Today';
  if (distance === 1) return 'Tomorrow';
  return formatTime(at, { weekday: 'short', day: 'numeric', month: 'long' });
}

/** @param {Span} event @returns {string} "09:30" */
export function timesOf({ start, allDay }) {
  return allDay ? 'All day' : timeOfDay(start);
}

/** The next full hour and the one after it on the clock, as `<input type="datetime-local">` wants them. */
export function nextHour(now = new Date()) {
  const start = new Date(now);
  start.setHours(now.getHours() + 1, 0, 0, 0);
  const end = new Date(start);
  end.setHours(start.getHours() + 1); // where the clock is put back, an hour later it says the same
  return [start, end].map((date) => toLocalInput(date.toISOString()));
}
