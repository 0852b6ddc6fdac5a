// The first lines of an answer as a preview. All texts go through `oneLine`, because other people may have written them.

import { moment, shortDay } from '../shared/time-format.js';
import { oneLine } from '../shared/words.js';

/** @typedef {{text: string, about?: string}} Line */

export const PREVIEW_LINES = 3;

/** @param {any} data of mail-list @returns {Line[]} */
export function mailLines(data) {
  return firstLines(data?.messages, (mail) => ({
    text: oneLine(mail.subject) || '(no subject)',
    about: joinTexts(nameOf(oneLine(mail.from)), timeText(mail.receivedAt && Number(mail.receivedAt))),
  }));
}

/** @param {any} data of calendar-list-events @returns {Line[]} */
export function eventLines(data) {
  return firstLines(data?.events, (event) => ({
    text: oneLine(event.title) || '(no title)',
    about: joinTexts(event.allDay ? day(event.start) : timeText(event.start), oneLine(event.location)),
  }));
}

/** @param {any} data of drive-list @returns {Line[]} */
export function fileLines(data) {
  return firstLines(data?.files, (file) => ({
    text: oneLine(file.name) || '(no name)',
    about: joinTexts(file.isFolder ? 'Folder' : '', timeText(file.modifiedTime)),
  }));
}

/** @param {any} data of contacts-list @returns {Line[]} */
export function contactLines(data) {
  return firstLines(data?.contacts, (contact) => {
    const mail = oneLine(contact.emails?.[0]);
    return { text: oneLine(contact.name) || mail || '(no name)', about: joinTexts(mail, oneLine(contact.organization)) };
  });
}

/** @param {string} from `"Bob" <bob@example.com>`, or the address alone */
function nameOf(from) {
  return from.replace(/\s*<[^<>]*>$/, '').replace(/^"(.*)"$/, '$1') || from;
}

/** @param {unknown} items @param {(item: any) => Line} line @returns {Line[]} */
function firstLines(items, line) {
  const known = Array.isArray(items) ? items.filter((item) => item && typeof item === 'object') : [];
  return known.slice(0, PREVIEW_LINES).map(line);
}

/** @param {...string} texts */
function joinTexts(...texts) {
  return texts.filter(Boolean).join(' · ');
}

/** @param {unknown} time ISO 8601 or milliseconds; '' for anything else */
function timeText(time) {
  const at = new Date(/** @type {any} */ (time ?? NaN));
  return Number.isNaN(at.getTime()) ? '' : moment(at.toISOString());
}

/** @param {unknown} date as YYYY-MM-DD, which the time zone must not shift */
function day(date) {
  const iso = String(date);
  return Number.isNaN(Date.parse(iso)) ? '' : shortDay(iso);
}
