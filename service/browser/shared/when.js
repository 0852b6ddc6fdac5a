// Formats times for display, in the user's time zone.
// The words around are English, and so are the times, whatever the language of the browser.

const LOCALE = 'en-GB';
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** @param {string} iso @param {number} [now] milliseconds @returns {string} "now", "5 min", "3 h", "21 Nov" */
export function ago(iso, now = Date.now()) {
  const seconds = (now - Date.parse(iso)) / 1000;
  if (seconds < MINUTE) return 'now';
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return new Date(iso).toLocaleDateString(LOCALE, { day: 'numeric', month: 'short' });
}

/** @param {string} iso @returns {string} "now", "5 min ago", "3 h ago", "21 Nov" */
export function since(iso) {
  const text = ago(iso);
  return / (min|h)$/.test(text) ? `${text} ago` : text;
}

/** @param {string | Date} time ISO 8601, or a date @returns {string} "18:00" */
export function timeOfDay(time) {
  return new Date(time).toLocaleTimeString(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

/** @param {string} iso @returns {string} "21 Nov, 18:00"; with the year if it is not this one */
export function moment(iso) {
  const at = new Date(iso);
  const sameYear = at.getFullYear() === new Date().getFullYear();
  const day = { day: 'numeric', month: 'short', year: sameYear ? undefined : 'numeric' };
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return at.toLocaleString(LOCALE, /** @type {any} */ ({ ...day, ...time }));
}

/** @param {string} iso @returns {string} in the format of `<input type="datetime-local">` */
export function toLocalInput(iso) {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param {string} local @returns {string} */
export function fromLocalInput(local) {
  return new Date(local).toISOString();
}

/** @param {number} ms that are left @returns {string} "less than a minute", "1 minute", "2 minutes" for 1 min 50 s */
export function minutesInWords(ms) {
  if (ms < MINUTE * 1000) return 'less than a minute';
  const minutes = Math.round(ms / (MINUTE * 1000));
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
