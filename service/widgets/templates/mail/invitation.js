// @ts-check
// A message about an event.

/** @param {import('../../../browser/widgets/widget-values.js').EventValue} event */
export function invitation({ title, start, location, allDay }) {
  const at = allDay ? new Date(`${start.slice(0, 10)}T00:00:00`) : new Date(start);
  const day = { weekday: 'long', day: 'numeric', month: 'long' };
  const time = allDay ? {} : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const isKnown = !Number.isNaN(at.getTime());
  const when = isKnown ? at.toLocaleString(undefined, /** @type {any} */ ({ ...day, ...time })) : '';
  const lines = [title, when, location].filter(Boolean);
  return { subject: title, content: `${lines.join('\n')}\n` };
}
