// @ts-check
// Formats the days and times of events in the user's time zone. An all-day event has no time zone.

import { formatTime, timeOfDay, toLocalInput } from '../../../browser/shared/time-format.js';

/** @typedef {{start: string, end: string, allDay: boolean}} Span */

/** @param {Span} event @returns {Date} midnight for an all-day event */
function beginOf({ start, allDay }) {
  return new Date(allDay ? `${start.slice(0, 10)}T00:00:00` : start);
}

/** Compares two events: by day, and all-day events first. @param {Span} one @param {Span} other */
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

/** The next full hour and the hour after it, in the format of `<input type="datetime-local">`. */
export function nextHour(now = new Date()) {
  const start = new Date(now);
  start.setHours(now.getHours() + 1, 0, 0, 0);
  const end = new Date(start);
  end.setHours(start.getHours() + 1); // by the clock: at the end of daylight saving time, the clock shows the same hour twice
  return [start, end].map((date) => toLocalInput(date.toISOString()));
}
