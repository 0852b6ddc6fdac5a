// @ts-check
// Shows the next events by day, and a form for a new event. The chosen event is sent to other widgets.

import { everyMinute } from '../../../browser/shared/page-clock.js';
import { createGate } from '../../../browser/widgets/widget-gate.js';
import { button, createChoices, createWidget, element, personOf, textOf } from '../../../browser/widgets/widget-ui.js';
import { byBegin, dayOf, timesOf } from './days.js';
import { createEventForm } from './event-form.js';

const { client, panel } = createWidget('Calendar');
const newButton = button('New event', openForm, { class: 'quiet small', hidden: true });
const form = createEventForm({ client, panel, save, close: closeForm });
let words = '';
/** @type {string[]} mail addresses that a new event invites */
let guests = [];
/** @type {any[]} */
let events = [];
let isLoaded = false;
let opened = 0; // how often the form was opened
let listedOn = ''; // the day on which the events were listed
panel.controls.append(newButton);
showGate();
everyMinute(() => listedOn !== today() && list()); // so that yesterday's events are not called today's
form.draft.ready.then((isDraft) => isDraft && !isLoaded && panel.show(form.node));

function showGate() {
  createGate(client, panel, {
    flag: 'calendar',
    closed: 'Your calendar is not connected yet.',
    open: 'See what comes next.',
    action: 'Show events',
    act: load,
  });
}

client.onInput('find', (value) => {
  words = textOf(value).trim();
  list();
});
client.onInput('guest', (value) => {
  const person = personOf(value);
  guests = person ? [person.email] : [];
  if (person) panel.say(`A new event will invite ${person.name || person.email}.`);
});

function load() {
  const body = { maxResults: 50, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  panel.run((options) => client.get('cloudsuite/calendar-list-events', body, options), (answer) => {
    events = answer.events;
    [isLoaded, newButton.hidden] = [true, false];
    const rows = events.map(({ title, start, end, location, attendees }) => ({ title, start, end, location, guests: attendees.length }));
    client.setOutput('items', { value: rows });
    list();
  });
}

function today() {
  return new Date().toDateString();
}

function list() {
  if (!isLoaded || form.node.isConnected) return undefined;
  listedOn = today();
  const found = events.filter((one) => [one.title, one.location].join(' ').toLowerCase().includes(words.toLowerCase()));
  if (!found.length) return panel.showEmpty(words ? `No event matches “${words}”.` : 'Nothing is planned.');
  const days = Map.groupBy ? Map.groupBy(found, (one) => dayOf(one)) : grouped(found);
  return panel.show(...[...days].map(([day, ones]) => section(day, ones)));
}

/** Groups events by day, for browsers without `Map.groupBy`. @param {any[]} found @returns {Map<string, any[]>} */
function grouped(found) {
  const days = new Map();
  for (const one of found) days.set(dayOf(one), [...(days.get(dayOf(one)) ?? []), one]);
  return days;
}

/** @param {string} day @param {any[]} ones */
function section(day, ones) {
  return element('section', { class: 'day' }, element('h2', {}, day), createChoices(day, ones.map(choice), choose));
}

/** @param {any} event */
function choice(event) {
  const mark = element('span', { class: 'time' }, timesOf(event));
  return { text: event.title ?? '(no title)', about: event.location ?? '', mark, value: event };
}

/** Chooses an event. Each day is a separate list, but only one event of all days is chosen. @param {any} event @param {HTMLElement} pressed */
function choose(event, pressed) {
  for (const other of panel.content.querySelectorAll('[aria-pressed="true"]')) {
    if (other !== pressed) other.setAttribute('aria-pressed', 'false');
  }
  const { start, end, allDay, location } = event;
  const attendees = event.attendees.map((/** @type {any} */ one) => one.email).filter(Boolean);
  client.setOutput('event', { title: event.title ?? '(no title)', start, end, allDay, attendees, ...(location ? { location } : {}) });
  if (location) client.setOutput('venue', { name: location });
  panel.say(`${event.title ?? 'The event'} is chosen.`);
}

function openForm() {
  opened += 1;
  newButton.hidden = true;
  panel.show(form.node);
  form.open(guests);
}

/** Closes the form and discards the input. */
function closeForm() {
  const isOpen = form.node.isConnected;
  form.draft.clear();
  form.node.remove();
  newButton.hidden = !isLoaded;
  if (isLoaded) list();
  else showGate();
  if (isOpen) (isLoaded ? newButton : panel.content.querySelector('button'))?.focus();
}

/** @param {any} event in the format of `calendar-create-events` */
function save(event) {
  const sendUpdates = /** @type {'all' | 'none'} */ (event.attendees.length ? 'all' : 'none'); // guests are notified by mail
  const body = { events: [event], sendUpdates };
  const [sent, own] = [form.draft.read(), opened];
  const post = (/** @type {any} */ options) => form.draft.sending(options, () => client.post('calendar-create-events', body, options));
  panel.runOnce(form.saveButton, post, ({ events: made, failed }) => {
    if (failed.length) return panel.say(failed[0].message);
    events = [...events, ...made].sort(byBegin);
    if (own === opened && !form.forget(sent)) closeForm(); // a form that was opened since is for another event
    return panel.say(`${event.title} is in your calendar.`);
  }, form.draft.pendingKey);
}
