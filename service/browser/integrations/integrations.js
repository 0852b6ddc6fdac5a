// Declares the cards of the built-in integrations, one for each flag of their status. `catalog-cards.js` makes those of
// an app's own integrations.

import { PREVIEW_LINES, contactLines, eventLines, fileLines, mailLines } from './previews.js';
import { titleOf } from './titles.js';

/**
 * @typedef {import('../shared/connections.js').Permission} Permission
 * @typedef {import('../shared/connections.js').Status} Status
 * @typedef {import('./previews.js').Line} Line
 * @typedef {{title: string, text: string, action: string}} Confirmation
 *
 * A harmless call that tests the permission. `lines` makes a preview of its data. With `emptyBody`, the body is empty
 * and the service refuses it; because the service checks the grant first, this refusal proves the grant.
 * @typedef {object} TestCall
 * @property {(status: Status) => Record<string, any>} body
 * @property {(data: any, status: Status) => {title: string, lines: Line[]}} lines
 * @property {boolean} [emptyBody]
 * @property {(status: Status) => Confirmation} [confirmation] for calls that change something
 *
 * @typedef {object} Description
 * @property {string} title
 * @property {any} icon
 * @property {string} allows
 * @property {TestCall} [testCall]
 *
 * @typedef {Permission & Description} Card each card has its own flag
 *
 * @typedef {{title: string, cards: Card[]}} Integration
 */

/** @param {string} title @param {Record<string, any>} body @param {(data: any) => Line[]} lines @returns {TestCall} */
function readCall(title, body, lines) {
  return { body: () => body, lines: (data) => ({ title, lines: lines(data) }) };
}

/** @type {TestCall} */
const SEND_CALL = {
  body: ({ email }) => ({
    to: email,
    subject: 'A test from the console',
    content: 'You sent this message to yourself to test the connection.',
  }),
  lines: (_, { email }) => ({ title: 'Sent', lines: [{ text: `To ${email}`, about: 'A test from the console' }] }),
  confirmation: ({ email }) => ({
    title: 'Send a test message?',
    text: `A short message is sent from ${email} to ${email}, and to nobody else.`,
    action: 'Send',
  }),
};

/** @param {string} text says what was not done @returns {TestCall} */
function emptyCall(text) {
  return { body: () => ({}), emptyBody: true, lines: () => ({ title: 'The permission works', lines: [{ text }] }) };
}

/** @type {Record<string, Integration>} */
const INTEGRATIONS = {
  cloudsuite: {
    title: titleOf('cloudsuite'),
    cards: [
      {
        flag: 'mailRead',
        title: 'Read mail',
        icon: 'mail',
        allows: 'List messages with their senders, subjects and first words.',
        endpoint: 'cloudsuite/mail-list',
        testCall: readCall('Newest messages', { maxResults: PREVIEW_LINES }, mailLines),
      },
      {
        flag: 'mailSend',
        title: 'Send mail',
        icon: 'plane',
        allows: 'Send messages as you. Requests “change mail”, which includes reading and sending.',
        endpoint: 'cloudsuite/mail-send',
        testCall: SEND_CALL,
      },
      {
        flag: 'mailModify',
        title: 'Change mail',
        icon: 'archive',
        allows: 'Reply, archive, mark as read or unread, move to the trash. Never delete permanently.',
        // Not mail-send: a scope that only allows sending is enough for it, but does not set this flag.
        endpoint: 'mail-reply',
        testCall: emptyCall('Nothing was changed in the mailbox.'),
      },
      {
        flag: 'calendar',
        title: 'Calendar',
        icon: 'calendar',
        allows: 'See your events and add new ones.',
        endpoint: 'cloudsuite/calendar-list-events',
        testCall: readCall('Next events', { maxResults: PREVIEW_LINES }, eventLines),
      },
      {
        flag: 'drive',
        title: 'Files',
        icon: 'folder',
        allows: 'List your files and open them.',
        endpoint: 'cloudsuite/drive-list',
        testCall: readCall('Latest files', { pageSize: PREVIEW_LINES }, fileLines),
      },
      {
        flag: 'contacts',
        title: 'Contacts',
        icon: 'people',
        allows: 'Look up names and addresses.',
        endpoint: 'cloudsuite/contacts-list',
        testCall: readCall('Contacts', { pageSize: PREVIEW_LINES }, contactLines),
      },
    ],
  },
  shortvideo: {
    title: titleOf('shortvideo'),
    cards: [
      {
        flag: 'publish',
        title: 'Post videos',
        icon: 'plane',
        allows: 'Post videos from a web address to your account.',
        endpoint: 'shortvideo-post-video',
        testCall: emptyCall('Nothing was posted.'),
      },
    ],
  },
};

/** @param {string} name as in the status */
export function isDeclared(name) {
  return Object.hasOwn(INTEGRATIONS, name);
}

/** @param {string} name as in the status @returns {Integration} without cards for an app's own integration */
export function integrationOf(name) {
  return isDeclared(name) ? INTEGRATIONS[name] : { title: titleOf(name), cards: [] };
}

/** The card that belongs to an endpoint, if there is one. @param {string} name of an integration @param {string} endpoint */
export function cardFor(name, endpoint) {
  return integrationOf(name).cards.find((each) => each.endpoint === endpoint);
}
