// The pages of the templates without a browser: late and odd answers, and what is typed meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { TYPES } from '../../service/browser/widgets/messages.js';
import { until } from './client-frame.mjs';
import { openTemplate } from './template-page.mjs';

const settle = () => new Promise((resolve) => setTimeout(resolve, 20));
const done = (data) => ({ success: true, data });
const note = (recordId, title) => ({ recordId, data: { title }, createdAt: recordId, updatedAt: '1' });

test('a table shows items that come while its collection loads', async (t) => {
  const page = await openTemplate(t, 'table', { state: { collection: 'notes' } });
  await until(() => page.asked.find(({ type }) => type === TYPES.recordsSubscribe));
  page.input('items', { value: [{ name: 'Berlin' }] });
  await until(() => page.main.textContent.includes('Berlin'));
  await settle();
  assert.equal(page.main.dataset.state, 'ready');
  assert.ok(page.asked.some(({ type }) => type === TYPES.recordsUnsubscribe));
});

/** A table of these notes. @param {any} t @param {any[]} records */
async function tableOf(t, records) {
  const page = await openTemplate(t, 'table', { state: { collection: 'notes' } });
  const { requestId } = await until(() => page.asked.find(({ type }) => type === TYPES.recordsSubscribe));
  page.tell({ type: TYPES.recordsSnapshot, requestId, records });
  await until(() => page.field('table'));
  await settle();
  return { page, change: (record) => page.tell({ type: TYPES.recordsChange, requestId, action: 'written', record }) };
}

test('a table keeps the focus in its row while its collection changes', async (t) => {
  const { page, change } = await tableOf(t, [note('1', 'one'), note('2', 'two')]);
  page.button('two').focus();
  change(note('0', 'new'));
  await until(() => page.button('new'));
  assert.equal(document.activeElement, page.button('two'));
  change({ ...note('2', 'other'), updatedAt: '2' });
  await until(() => page.button('other'));
  assert.equal(document.activeElement, page.button('other'));
  page.button('title').listeners.click();
  assert.equal(document.activeElement, page.button('title'));
});

test('an empty table says that its collection can no longer be read', async (t) => {
  const page = await openTemplate(t, 'table', { state: { collection: 'notes' } });
  const { requestId } = await until(() => page.asked.find(({ type }) => type === TYPES.recordsSubscribe));
  page.tell({ type: TYPES.recordsSnapshot, requestId, records: [] });
  await until(() => page.main.textContent.includes('New records appear here'));
  page.tell({ type: TYPES.recordsError, requestId, error: 'forbidden', message: 'Your role does not allow this.' });
  await settle();
  assert.equal(page.main.dataset.state, 'error');
  assert.match(page.main.textContent, /Your role does not allow this\./);
});

/** Chooses a collection in a table, and returns the id of the subscription. @param {any} page @param {string} name */
async function chooseCollection(page, name) {
  const [select, before] = [page.field('select'), page.asked.length];
  select.value = name;
  select.listeners.change();
  const { requestId } = await until(() => page.asked.slice(before).find(({ type }) => type === TYPES.recordsSubscribe));
  return requestId;
}

test('a table whose next collection is cancelled keeps its rows, which follow their collection', async (t) => {
  const { page, change } = await tableOf(t, [note('1', 'one')]);
  const requestId = await chooseCollection(page, 'tasks');
  change(note('2', 'two'));
  page.press('Cancel');
  assert.deepEqual([page.field('select').value, page.main.dataset.state], ['notes', 'ready']);
  await until(() => page.button('two'));
  change(note('3', 'three'));
  await until(() => page.button('three'));
  page.tell({ type: TYPES.recordsSnapshot, requestId, records: [note('4', 'a task')] });
  await settle();
  assert.ok(page.asked.some((message) => message.type === TYPES.recordsUnsubscribe && message.requestId === requestId));
  assert.equal(page.button('a task'), undefined);
  assert.deepEqual(page.state, { collection: 'notes' });
});

test('a table whose first collection is cancelled asks for one', async (t) => {
  const page = await openTemplate(t, 'table');
  const requestId = await chooseCollection(page, 'tasks');
  page.press('Cancel');
  page.tell({ type: TYPES.recordsSnapshot, requestId, records: [note('4', 'a task')] });
  await settle();
  assert.equal(page.field('select').value, '');
  assert.match(page.main.textContent, /Choose a collection, or connect a widget/);
});

test('a table whose next collection can not be read shows no rows of the one before', async (t) => {
  const { page, change } = await tableOf(t, [note('1', 'one')]);
  const requestId = await chooseCollection(page, 'tasks');
  page.tell({ type: TYPES.recordsError, requestId, error: 'forbidden', message: 'Your role does not allow this.' });
  await until(() => page.main.textContent.includes('Your role does not allow this.'));
  change(note('2', 'two'));
  await settle();
  assert.equal(page.field('select').value, 'tasks');
  assert.deepEqual([page.button('one'), page.button('two')], [undefined, undefined]);
});

test('a table shows what is too large to be passed on, and says so', async (t) => {
  const { page } = await tableOf(t, [1, 2, 3].map((at) => note(`${at}`, `${at}`.repeat(100_000))));
  assert.equal(page.field('tbody').children.length, 3);
  assert.deepEqual([page.outputs.rows, page.main.dataset.state], [undefined, 'ready']);
  assert.match(page.main.textContent, /too large to be passed on/);
});

const NEED = { success: true, data: { requiresOAuth: true, authUrl: 'https://id.example/', provider: 'cloudsuite', scopes: ['mail'] } };

/** A message whose sending waits for a consent that is asked for. @param {any} t */
async function waitingMail(t) {
  const page = await openTemplate(t, 'mail');
  await settle();
  for (const [at, text] of ['cleo@example.com', 'Hello'].entries()) page.type(page.field('input', at), text);
  page.press('Send');
  await page.answer('cloudsuite/mail-send', NEED, { consentId: 'c' });
  (await until(() => page.button('Connect'))).listeners.click();
  const { requestId } = await until(() => page.asked.find(({ type }) => type === TYPES.consentRequest));
  return { page, allow: () => page.tell({ type: TYPES.consentResult, requestId, status: 'connected' }) };
}
const sent = ({ asked }) => asked.filter(({ type }) => type === TYPES.apiRequest).length;

test('a call is made once its consent is given', async (t) => {
  const { page, allow } = await waitingMail(t);
  allow();
  await until(() => sent(page) === 2);
});

test('what was cancelled is not sent by a consent that comes later', async (t) => {
  const { page, allow } = await waitingMail(t);
  page.press('Cancel');
  allow();
  await settle();
  assert.deepEqual([sent(page), page.main.dataset.state], [1, 'ready']);
});

const EVENT = { title: 'Visit', location: null, start: '2026-11-28T10:00:00Z', end: '2026-11-28T11:00:00Z', allDay: false, attendees: [] };

/** A calendar with a new event that is being saved. @param {any} t @param {string} [guests] */
async function savingEvent(t, guests = '') {
  const page = await openTemplate(t, 'calendar', { flags: { cloudsuite: { calendar: true } } });
  await settle();
  page.press('Show events');
  await page.answer('cloudsuite/calendar-list-events', done({ events: [{ ...EVENT, title: null }] }));
  await until(() => page.button('New event').hidden === false);
  page.press('New event');
  page.type(page.field('input'), 'Visit');
  page.type(page.field('input', 4), guests);
  page.press('Save');
  await page.call('calendar-create-events');
  return page;
}
const saved = (page) => page.answer('calendar-create-events', done({ events: [EVENT], failed: [] }));

test('guests are told of an event by mail', async (t) => {
  for (const [guests, sendUpdates] of [['a@example.com, b@example.com', 'all'], ['', 'none']]) {
    const { body } = await (await savingEvent(t, guests)).call('calendar-create-events');
    assert.equal(body.sendUpdates, sendUpdates);
  }
});

test('an event is saved once, however often its button is pressed', async (t) => {
  const page = await savingEvent(t);
  page.press('Save');
  page.press('Save');
  await settle();
  assert.deepEqual([page.button('Save').getAttribute('aria-disabled'), page.asked.filter(({ endpoint }) => endpoint === 'calendar-create-events').length], ['true', 1]);
  const button = page.button('Save');
  await saved(page);
  await until(() => page.main.textContent.includes('Visit is in your calendar.'));
  assert.equal(button.getAttribute('aria-disabled'), 'false');
});

test('a saved event closes its form', async (t) => {
  const page = await savingEvent(t);
  await saved(page);
  await until(() => page.main.textContent.includes('Visit is in your calendar.'));
  await until(() => page.state === null);
  assert.deepEqual([page.button('Save'), document.activeElement], [undefined, page.button('New event')]);
});

test('an event that is typed while another one is saved stays', async (t) => {
  const page = await savingEvent(t);
  page.press('Cancel');
  page.press('New event');
  const [title, start, end] = [0, 1, 2].map((at) => page.field('input', at));
  page.type(title, 'Walk');
  await saved(page);
  await until(() => page.main.textContent.includes('Visit is in your calendar.'));
  assert.deepEqual([title.value, title.isConnected, start.value < end.value], ['Walk', true, true]);
});

test('a form that was opened while another event is saved keeps what it was opened with', async (t) => {
  const page = await savingEvent(t, 'a@example.com');
  page.press('Cancel');
  page.input('guest', { name: 'A', email: 'a@example.com' });
  await until(() => page.main.textContent.includes('will invite A'));
  page.press('New event');
  const [, start, , , guests] = [0, 1, 2, 3, 4].map((at) => page.field('input', at));
  const begin = start.value;
  await saved(page);
  await until(() => page.main.textContent.includes('Visit is in your calendar.'));
  assert.deepEqual([guests.isConnected, guests.value, start.value], [true, 'a@example.com', begin]);
});

test('one time stays with the other that is typed for the next event', async (t) => {
  for (const typed of [1, 2]) {
    const page = await savingEvent(t);
    const [title, ...times] = [0, 1, 2].map((at) => page.field('input', at));
    const expected = times.map(({ value }, at) => (at + 1 === typed ? '2016-11-24T10:00' : value));
    page.type(times[typed - 1], '2016-11-24T10:00');
    await saved(page);
    await until(() => page.main.textContent.includes('Visit is in your calendar.'));
    assert.deepEqual([title.value, ...times.map(({ value }) => value)], ['', ...expected]);
  }
});

test('the next event, of which no time was typed, has times', async (t) => {
  const page = await savingEvent(t);
  const [title, start, end] = [0, 1, 2].map((at) => page.field('input', at));
  page.type(title, 'Walk');
  await saved(page);
  await until(() => page.main.textContent.includes('Visit is in your calendar.'));
  assert.deepEqual([title.value, Boolean(start.value), start.value < end.value], ['Walk', true, true]);
});

test('an event whose end is not after its start is not saved', async (t) => {
  const zone = process.env.TZ;
  process.env.TZ = 'Europe/Berlin';
  t.after(() => (zone === undefined ? delete process.env.TZ : (process.env.TZ = zone)));
  const values = { title: 'Visit', start: '2026-03-29T02:30', end: '2026-03-29T03:15' }; // there is no half past two on that day
  const page = await openTemplate(t, 'calendar', { state: { draft: { values } } });
  await until(() => page.button('Save'));
  page.press('Save');
  assert.match(String(page.field('input', 2).fault), /after the start/);
});

test('a calendar that stays open names the days anew when a day has passed', async (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.parse('2026-11-28T12:00:00Z') });
  const page = await openTemplate(t, 'calendar', { flags: { cloudsuite: { calendar: true } } });
  await settle();
  page.press('Show events');
  await page.answer('cloudsuite/calendar-list-events', done({ events: [EVENT] }));
  await until(() => page.main.textContent.includes('Today'));
  const shown = page.field('section');
  t.mock.timers.tick(60_000);
  assert.equal(shown.isConnected, true); // on the same day, nothing is drawn anew
  t.mock.timers.tick(24 * 3_600_000);
  assert.doesNotMatch(page.main.textContent, /Today/);
});

test('a calendar finds no word that stands for nothing', async (t) => {
  const page = await savingEvent(t);
  page.press('Cancel');
  page.input('find', { value: 'null' });
  await until(() => page.main.textContent.includes('No event matches'));
});

test('an address book with nobody in it says so', async (t) => {
  const page = await openTemplate(t, 'contacts', { flags: { cloudsuite: { contacts: true } } });
  await settle();
  page.press('Show contacts');
  await page.answer('cloudsuite/contacts-list', done({ contacts: [] }));
  await until(() => page.main.textContent.includes('There is nobody in your address book.'));
});

test('what is typed into a note before its text has come takes nothing of it away', async (t) => {
  const page = await openTemplate(t, 'note', { state: undefined });
  page.type(page.field('textarea'), 'Buy');
  await settle();
  page.tellState({ text: 'Milk' });
  await until(() => page.state.text === 'Milk\nBuy');
  assert.equal(page.field('textarea').value, 'Milk\nBuy');
});

test('a note shows its stored text, and keeps what is typed from then on', async (t) => {
  const page = await openTemplate(t, 'note', { state: { text: 'Milk' } });
  await until(() => page.outputs.text?.value === 'Milk');
  page.type(page.field('textarea'), 'Milk, bread');
  await until(() => page.state.text === 'Milk, bread');
});

test('a temperature that nobody knows is not zero', async (t) => {
  const page = await openTemplate(t, 'weather');
  await settle();
  page.input('city', { value: 'Berlin' });
  const current = { temperature: null, feelsLike: null, windSpeed: null, weatherCode: null, isDay: true, condition: 'Unknown' };
  const place = { name: 'Berlin', latitude: null, longitude: null, country: null };
  await page.answer('current-weather', done({ place, current, units: null }));
  await page.answer('weather-forecast', done({ days: [{ date: '2026-11-28', weatherCode: null, condition: '', tempMax: null, tempMin: null }] }));
  await until(() => page.field('ol'));
  assert.doesNotMatch(page.main.textContent, /0°|Feels/);
});

test('a chart keeps the focus at its bar while its items change', async (t) => {
  const page = await openTemplate(t, 'chart');
  await settle();
  const items = (...rain) => ({ value: rain.map((value, at) => ({ day: `day ${at}`, rain: value })) });
  page.input('items', items(1, 2, 3));
  const labelled = (label) => page.main.querySelectorAll('button').find((one) => one.textContent.includes(label));
  (await until(() => labelled('day 2'))).focus();
  page.input('items', items(4, 5));
  await until(() => !labelled('day 2'));
  assert.equal(document.activeElement, labelled('day 1'));
});

test('a picture that is gone takes no newer one away', async (t) => {
  const page = await openTemplate(t, 'image');
  await settle();
  const pictures = [];
  for (const prompt of ['a red boat', 'a blue boat']) {
    page.type(page.field('textarea'), prompt);
    page.press('Make');
    await page.answer('generate-image-classic', done({ images: [{ url: `/${prompt}`, mediaType: 'image/png' }] }));
    pictures.push(await until(() => page.field('img') !== pictures[0] && page.field('img')));
  }
  pictures[0].listeners.error();
  assert.equal(page.field('img'), pictures[1]);
  pictures[1].listeners.error();
  assert.equal(page.field('img'), undefined);
});
