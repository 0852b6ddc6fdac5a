// The templates: what fits together, and the pure parts of their widgets.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { IoGraph } from '../../service/browser/widgets/io-graph.js';
import { byBegin, dayOf, nextHour, timesOf } from '../../service/widgets/templates/calendar/days.js';
import { columnsFor, numberIn, scaleOf, seriesOf } from '../../service/widgets/templates/chart/series.js';
import { invitation } from '../../service/widgets/templates/mail/invitation.js';

const FOLDER = new URL('../../service/widgets/templates/', import.meta.url);

const NAMES = readdirSync(FOLDER).filter((name) => !/^[._]/.test(name));

function graphOfAll() {
  const graph = new IoGraph();
  for (const id of NAMES) {
    const { slots = [] } = JSON.parse(readFileSync(new URL(`${id}/manifest.json`, FOLDER), 'utf8'));
    graph.addWidget({ id, slots });
  }
  return graph;
}

const ref = (text) => ({ widgetId: text.split('.')[0], slotId: text.split('.')[1] });

const FITTING = [
  ['contacts.person', 'mail.person'],
  ['contacts.person', 'calendar.guest'],
  ['contacts.home', 'weather.place'],
  ['contacts.home', 'places.near'],
  ['contacts.organization', 'places.query'],
  ['contacts.organization', 'web-search.query'],
  ['contacts.items', 'table.items'],
  ['places.place', 'weather.place'],
  ['places.items', 'chart.items'],
  ['calendar.event', 'mail.event'],
  ['calendar.venue', 'weather.place'],
  ['calendar.items', 'table.items'],
  ['web-search.text', 'note.fill'],
  ['web-search.items', 'table.items'],
  ['weather.days', 'chart.items'],
  ['weather.text', 'mail.text'],
  ['weather.found', 'places.near'],
  ['note.text', 'mail.text'],
  ['note.text', 'image.prompt'],
  ['table.rows', 'chart.items'],
  ['table.text', 'note.fill'],
];

for (const [from, to] of FITTING) {
  test(`${from} fits ${to}`, () => {
    assert.deepEqual(graphOfAll().check(ref(from), ref(to)), { ok: true });
  });
}

test('a place is no person, and a person no place', () => {
  const graph = graphOfAll();
  assert.equal(graph.check(ref('places.place'), ref('mail.person')).error, 'type_mismatch');
  assert.equal(graph.check(ref('image.image'), ref('weather.place')).error, 'type_mismatch');
});

test('a day is told from now, and an event of a whole day has no time zone', () => {
  const now = new Date('2026-11-22T23:30:00');
  const at = (start, allDay = false) => dayOf({ start, allDay, end: start }, now);
  assert.equal(at('2026-11-22T08:00:00'), 'Today');
  assert.equal(at('2026-11-23T00:00:00'), 'Tomorrow');
  assert.equal(at('2026-11-23', true), 'Tomorrow');
  assert.equal(at('2026-11-25', true), 'Wed 25 November');
  assert.equal(timesOf({ start: '2026-11-25T09:05:00', allDay: false }), '09:05');
  assert.equal(timesOf({ start: '2026-11-25', allDay: true }), 'All day');
  assert.deepEqual(nextHour(now), ['2026-11-23T00:00', '2026-11-23T01:00']);
});

/** @param {string} zone @param {() => void} act */
function inZone(zone, act) {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    act();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

test('a new event ends after its start, also in the hour in which the clock is changed', () => {
  inZone('Europe/Berlin', () => {
    assert.deepEqual(nextHour(new Date('2026-10-24T23:30:00Z')), ['2026-10-25T02:00', '2026-10-25T03:00']);
    assert.deepEqual(nextHour(new Date('2026-03-29T00:30:00Z')), ['2026-03-29T03:00', '2026-03-29T04:00']);
  });
});

test('events stand in the order of their days, wherever the reader is', () => {
  const whole = (start) => ({ start, end: start, allDay: true });
  const timed = (start) => ({ start, end: start, allDay: false });
  const order = [timed('2026-11-27T20:00:00-08:00'), whole('2026-11-28'), timed('2026-11-28T00:00:00-08:00')];
  inZone('America/Los_Angeles', () => assert.deepEqual([...order].reverse().sort(byBegin), order));
  inZone('Asia/Tokyo', () => assert.deepEqual([timed('2026-11-28T08:00:00+09:00'), whole('2026-11-28')].sort(byBegin)[0].allDay, true));
});

test('an invitation says what, when and where, and bears a start that is no date', () => {
  const event = { title: 'Visit', start: '2026-11-24T10:00:00', end: '', location: '12 Mill Lane', attendees: [], allDay: false };
  const { subject, content } = invitation(event);
  assert.equal(subject, 'Visit');
  assert.match(content, /^Visit\nTuesday 24 November, 10:00\n12 Mill Lane\n$/);
  assert.equal(invitation({ ...event, start: 'soon' }).content, 'Visit\n12 Mill Lane\n');
});

test('numbers are found in texts too, but not where there are none', () => {
  assert.deepEqual(['4', ' 1,200.5', '1 200', '', 'no', true, null, Infinity].map(numberIn), [4, 1200.5, 1200, null, null, null, null, null]);
});

test('a chart offers the columns that have numbers, and names its marks by the others', () => {
  const items = [{ day: '2026-11-21', rain: 2.4, note: null }, { day: '2026-11-22', rain: null }];
  assert.deepEqual(columnsFor(items), { numbers: ['rain'], labels: ['day', 'rain'] });
  const series = seriesOf(items, 'day', 'rain');
  assert.equal(series.length, 1);
  assert.equal(series[0].label, '21 Nov');
  assert.equal(seriesOf([{ a: 1 }], '', 'a')[0].label, '1');
});

test('zero is on the axis, also between negative and positive numbers', () => {
  const scale = scaleOf([-1, 3].map((value) => ({ value, label: '', item: {} })));
  assert.deepEqual([scale.zero, scale.at(-1), scale.at(3)], [0.25, 0, 1]);
  assert.equal(scaleOf([{ value: 0, label: '', item: {} }]).at(0), 0);
});
