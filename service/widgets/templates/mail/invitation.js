// @ts-check
// Writes a message about an event.

import { formatTime, timeOfDay } from '../../../browser/shared/time-format.js';

/** @param {import('../../../browser/widgets/widget-values.js').EventValue} event */
export function invitation({ title, start, location, allDay }) {
  const day = allDay ? start.slice(0, 10) : start;
  const time = allDay ? '' : `, ${timeOfDay(start)}`;
  const isKnown = !Number.isNaN(Date.parse(day));
  const when = isKnown ? formatTime(day, { weekday: 'long', day: 'numeric', month: 'long' }) + time : '';
  const lines = [title, when, location].filter(Boolean);
  return { subject: title, content: `${lines.join('\n')}\n` };
}
