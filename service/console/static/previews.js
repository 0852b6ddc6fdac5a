// A few lines of what an endpoint has answered. Plain texts: all of it was written by strangers.

import { moment } from './when.js';

/** @typedef {{text: string, about?: string}} Line */

export const FEW = 3;
const LENGTH = 90;
const UNSEEN = /[\p{Cc}\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** @param {any} data of mail-list @returns {Line[]} */
export function mailLines(data) {
  return shown(data?.messages, (mail) => ({
    text: plain(mail.subject) || '(no subject)',
    about: joined(nameOf(plain(mail.from)), when(Number(mail.receivedAt))),
  }));
}

/** @param {any} data of calendar-list-events @returns {Line[]} */
export function eventLines(data) {
  return shown(data?.events, (event) => ({
    text: plain(event.title) || '(no title)',
    about: joined(event.allDay ? day(event.start) : when(event.start), plain(event.location)),
  }));
}

/** @param {any} data of drive-list @returns {Line[]} */
export function fileLines(data) {
  return shown(data?.files, (file) => ({
    text: plain(file.name) || '(no name)',
    about: joined(file.isFolder ? 'Folder' : '', when(file.modifiedTime)),
  }));
}

/** @param {any} data of contacts-list @returns {Line[]} */
export function contactLines(data) {
  return shown(data?.contacts, (contact) => {
    const mail = plain(contact.emails?.[0]);
    return { text: plain(contact.name) || mail || '(no name)', about: joined(mail, plain(contact.organization)) };
  });
}

/** @param {string} from `"Bob" <bob@example.com>`, or the address alone */
function nameOf(from) {
  return from.replace(/\s*<[^<>]*>$/, '').replace(/^"(.*)"$/, '$1') || from;
}

/** @param {unknown} items @param {(item: any) => Line} line @returns {Line[]} */
function shown(items, line) {
  const known = Array.isArray(items) ? items.filter((item) => item && typeof item === 'object') : [];
  return known.slice(0, FEW).map(line);
}

/**
 * One line without what is not seen: control characters, and those that turn the writing around.
 * @param {unknown} value
 */
export function plain(value) {
  const text = typeof value === 'string' ? value : '';
  const visible = text.replace(UNSEEN, ' ').trim();
  const letters = [...visible];
  return letters.length > LENGTH ? `${letters.slice(0, LENGTH - 1).join('')}…` : visible;
}

/** @param {...string} texts */
function joined(...texts) {
  return texts.filter(Boolean).join(' · ');
}

/** @param {unknown} time a moment as ISO 8601 or in milliseconds; '' for anything else */
function when(time) {
  const at = new Date(/** @type {any} */ (time ?? NaN));
  return Number.isNaN(at.getTime()) ? '' : moment(at.toISOString());
}

/** @param {unknown} date as YYYY-MM-DD, the same day everywhere */
function day(date) {
  const at = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(at.getTime())) return '';
  return at.toLocaleDateString(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
