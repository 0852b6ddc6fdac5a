// What the connections page knows of each integration: a card for each flag of its status. Another
// integration is one more entry here; one without an entry is shown without cards.

import { FEW, contactLines, eventLines, fileLines, mailLines } from './previews.js';

/**
 * @typedef {{connected: boolean, email?: string} & Record<string, any>} Status
 * @typedef {import('./previews.js').Line} Line
 * @typedef {{title: string, text: string, action: string}} Question
 *
 * A harmless call: either `lines` makes a preview of its data, or `dry` expects that the empty body
 * is refused, which happens only after the grant was found good.
 * @typedef {object} Attempt
 * @property {(status: Status) => Record<string, any>} body
 * @property {(data: any, status: Status) => {title: string, lines: Line[]}} lines
 * @property {boolean} [dry]
 * @property {(status: Status) => Question} [question] for what is not only read
 *
 * @typedef {object} Card
 * @property {string} flag of the status; a card looks at its own one only
 * @property {string} title
 * @property {any} icon
 * @property {string} allows
 * @property {string} endpoint whose one scope lights the flag; {} makes it ask for consent
 * @property {Attempt} attempt
 *
 * @typedef {{title: string, cards: Card[]}} Integration
 */

/** @param {string} title @param {Record<string, any>} body @param {(data: any) => Line[]} lines @returns {Attempt} */
function reading(title, body, lines) {
  return { body: () => body, lines: (data) => ({ title, lines: lines(data) }) };
}

/** @type {Attempt} */
const sending = {
  body: ({ email }) => ({
    to: email,
    subject: 'A test from the console',
    content: 'You have sent this to yourself, to try the connection.',
  }),
  lines: (_, { email }) => ({ title: 'Sent', lines: [{ text: `To ${email}`, about: 'A test from the console' }] }),
  question: ({ email }) => ({
    title: 'Send a test?',
    text: `A short message goes from ${email} to ${email}, and to nobody else.`,
    action: 'Send',
  }),
};

/** @type {Attempt} */
const checking = {
  body: () => ({}),
  dry: true,
  lines: () => ({ title: 'The permission is there', lines: [{ text: 'Nothing was changed in the mailbox.' }] }),
};

/** @type {Record<string, Integration>} */
const KNOWN = {
  cloudsuite: {
    title: 'Cloud suite',
    cards: [
      {
        flag: 'mailRead',
        title: 'Read mail',
        icon: 'mail',
        allows: 'List messages with their senders, subjects and first words.',
        endpoint: 'cloudsuite/mail-list',
        attempt: reading('Newest messages', { maxResults: FEW }, mailLines),
      },
      {
        flag: 'mailSend',
        title: 'Send mail',
        icon: 'plane',
        allows: 'Send messages as you. Asks for “change mail”, which covers reading and sending.',
        endpoint: 'cloudsuite/mail-send',
        attempt: sending,
      },
      {
        flag: 'mailModify',
        title: 'Change mail',
        icon: 'archive',
        allows: 'Reply, archive, mark as read or unread, move to the trash. Never delete for good.',
        // Not mail-send: a grant to send alone satisfies that one, and this card would never light.
        endpoint: 'mail-reply',
        attempt: checking,
      },
      {
        flag: 'calendar',
        title: 'Calendar',
        icon: 'calendar',
        allows: 'See your events and add new ones.',
        endpoint: 'cloudsuite/calendar-list-events',
        attempt: reading('Next events', { maxResults: FEW }, eventLines),
      },
      {
        flag: 'drive',
        title: 'Files',
        icon: 'folder',
        allows: 'List your files and open them.',
        endpoint: 'cloudsuite/drive-list',
        attempt: reading('Latest files', { pageSize: FEW }, fileLines),
      },
      {
        flag: 'contacts',
        title: 'Contacts',
        icon: 'people',
        allows: 'Look up names and addresses.',
        endpoint: 'cloudsuite/contacts-list',
        attempt: reading('Contacts', { pageSize: FEW }, contactLines),
      },
    ],
  },
};

/** @param {string} name as the status calls it @returns {Integration} */
export function integrationOf(name) {
  return Object.hasOwn(KNOWN, name) ? KNOWN[name] : { title: name, cards: [] };
}

/** @param {Card} card @param {Status} status */
export function isGranted({ flag }, status) {
  return status[flag] === true;
}
