// @ts-check
// Shows the address book. The chosen person, their city and their organization are sent to other widgets.

import { createGate } from '../../../browser/widgets/widget-gate.js';
import { createChoices, createWidget, element, textOf } from '../../../browser/widgets/widget-ui.js';

const { client, panel } = createWidget('Contacts');
const filter = element('input', { class: 'field', type: 'search', 'aria-label': 'Find', placeholder: 'Find', hidden: true, on: { input: list } });
/** @type {any[]} */
let contacts = [];
let isLoaded = false;
panel.controls.append(filter);

createGate(client, panel, {
  flag: 'contacts',
  closed: 'Your contacts are not connected yet.',
  open: 'See the people in your address book.',
  action: 'Show contacts',
  act: load,
});
client.onInput('find', (value) => {
  filter.value = textOf(value);
  list();
});

function load() {
  const query = /** @type {const} */ ({ pageSize: 200, sortOrder: 'FIRST_NAME_ASCENDING' });
  panel.run((options) => client.get('cloudsuite/contacts-list', query, options), (answer) => {
    [contacts, isLoaded] = [answer.contacts, true];
    filter.hidden = !contacts.length;
    client.setOutput('items', { value: contacts.map(({ name, emails, phones, organization, title }) => ({ name, email: emails[0], phone: phones[0], organization, title })) });
    list();
  });
}

function list() {
  if (!isLoaded) return undefined;
  if (!contacts.length) return panel.showEmpty('There is nobody in your address book.');
  const words = filter.value.trim().toLowerCase();
  const found = contacts.filter((one) => [one.name, one.organization, ...one.emails].join(' ').toLowerCase().includes(words));
  if (!found.length) return panel.showEmpty(`Nobody matches “${filter.value}”.`);
  return panel.show(createChoices('Contacts', found.map(choice), choose));
}

/** @param {any} contact */
function choice(contact) {
  const name = nameOf(contact);
  const about = [contact.organization, contact.emails[0]].filter(Boolean).join(' · ');
  return { text: name, about, mark: element('span', { class: 'face', 'aria-hidden': 'true' }, initials(name)), value: contact };
}

/** @param {any} contact @returns {string} */
const nameOf = (contact) => contact.name ?? contact.emails[0] ?? '(no name)';

/** @param {string} name */
const initials = (name) => name.split(/\s+/).slice(0, 2).map((word) => [...word][0]).join('').toUpperCase();

/** @param {any} contact */
function choose(contact) {
  const { emails, phones, organization } = contact;
  if (emails[0]) client.setOutput('person', { name: nameOf(contact), email: emails[0], ...known({ phone: phones[0], organization }) });
  const home = contact.addresses?.find((/** @type {any} */ address) => address.city);
  if (home) client.setOutput('home', { name: home.city, ...known({ address: home.text, country: home.country }) });
  if (organization) client.setOutput('organization', { value: organization });
  panel.say(emails[0] ? `${nameOf(contact)} is chosen.` : `${nameOf(contact)} is chosen, who has no mail address.`);
}

/** @param {Record<string, any>} values */
const known = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value));
