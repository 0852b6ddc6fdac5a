// @ts-check
// Days and times of events, in the user's own time zone. A whole day has no time zone.

import { formatTime, timeOfDay, toLocalInput } from '../../../browser/shared/when.js';

/** @typedef {{start: string, end: string, allDay: boolean}} Span */

/** @param {Span} event @returns {string} "Today", "Tomorrow", "Tue 24 November" */
export function dayOf({ start, allDay }, now = new Date()) {
  const at = allDay ? new Date(`${start.slice(0, 10)}T00:00:00`) : new Date(start);
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

/** The next full hour and the one after it, as `<input type="datetime-local">` wants them. */
export function nextHour(now = new Date()) {
  const start = new Date(now);
  start.setHours(now.getHours() + 1, 0, 0, 0);
  return [start, new Date(start.getTime() + 3_600_000)].map((date) => toLocalInput(date.toISOString()));
}
