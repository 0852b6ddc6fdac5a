// Formats times for display in the user's time zone, on the pages of the console and in its widgets. The texts of the
// console are English, so the times are English too, whatever the language of the browser.
// @ts-check

const LOCALE = 'en-GB';
const CLOCK = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const SHORT_DAY = /** @type {const} */ ({ day: 'numeric', month: 'short' });
const ONLY_DAY = /^\d{4}-\d\d-\d\d$/;
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** @type {Map<string, Intl.DateTimeFormat>} by their options: to create a format takes as long as to use it hundreds of times */
const formats = new Map();

/**
 * Formats a time; all other functions use this one.
 * @param {string | number | Date} time ISO 8601, milliseconds, or a date; a date without a time is the same day in every time zone
 * @param {Intl.DateTimeFormatOptions} parts
 * @returns {string} such as "21 Nov, 18:00", "Saturday 21 November"
 */
export function formatTime(time, parts) {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return String(at);
  const zone = typeof time === 'string' && ONLY_DAY.test(time) ? { timeZone: 'UTC' } : {};
  const text = formatFor({ ...parts, ...zone }, at.getTimezoneOffset()).format(at);
  return parts.weekday ? text.replace(',', '') : text; // some browsers write a comma after the weekday
}

/**
 * @param {Intl.DateTimeFormatOptions} parts
 * @param {number} offset of the computer's time zone, which changes when the user travels, while a format keeps its own
 */
function formatFor(parts, offset) {
  const key = JSON.stringify([parts, offset]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(LOCALE, parts);
  formats.set(key, format);
  return format;
}

/** @param {string} iso a time, or a day without one @returns {string} "21 Nov" */
export function shortDay(iso) {
  return formatTime(iso, SHORT_DAY);
}

/** @param {string} iso @param {number} [now] milliseconds @returns {string} "now", "5 min", "3 h", "21 Nov" */
export function ago(iso, now = Date.now()) {
  const seconds = (now - Date.parse(iso)) / 1000;
  if (seconds < MINUTE) return 'now';
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  return shortDay(iso);
}

/** @param {string} iso @returns {string} "now", "5 min ago", "3 h ago", "21 Nov" */
export function since(iso) {
  const text = ago(iso);
  return / (min|h)$/.test(text) ? `${text} ago` : text;
}

/** @param {string | Date} time ISO 8601, or a date @returns {string} "18:00" */
export function timeOfDay(time) {
  return formatTime(time, CLOCK);
}

/** @param {string | Date} time @returns {string} "18:00:05" */
export function timeWithSeconds(time) {
  return formatTime(time, { ...CLOCK, second: '2-digit' });
}

/** @param {string} iso @returns {string} "21 Nov, 18:00"; with the year if it is not this one */
export function moment(iso) {
  return formatTime(iso, { ...dayParts(iso), ...CLOCK });
}

/** @param {string} iso @returns {string} "21 Nov"; with the year if it is not this one */
export function day(iso) {
  return formatTime(iso, dayParts(iso));
}

/** @param {string} iso @returns {Intl.DateTimeFormatOptions} */
function dayParts(iso) {
  const year = /** @type {const} */ ('numeric');
  const isThisYear = formatTime(iso, { year }) === formatTime(new Date(), { year });
  return isThisYear ? SHORT_DAY : { ...SHORT_DAY, year };
}

/** @param {string} iso @returns {string} "21 Nov 2026, 18:00:05" */
export function wholeMoment(iso) {
  return formatTime(iso, { ...SHORT_DAY, year: 'numeric', ...CLOCK, second: '2-digit' });
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

/** @param {number} ms the remaining time @returns {string} "less than a minute", "1 minute", "2 minutes" for 1 min 50 s */
export function minutesInWords(ms) {
  if (ms < MINUTE * 1000) return 'less than a minute';
  const minutes = Math.round(ms / (MINUTE * 1000));
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
