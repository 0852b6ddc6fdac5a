// @ts-check
// Times read the same on every page and in every browser: the day before the month, and 24 hours.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { ago, day, formatTime, moment, shortDay, timeOfDay, wholeMoment } from '../../service/browser/shared/time-format.js';
import { timeLeft } from '../../service/browser/chat/question-words.js';

const EVENING = new Date(new Date().getFullYear(), 10, 26, 21, 7).toISOString();
const EARLIER = new Date(2021, 10, 26, 9, 7).toISOString();

test('a time of day has 24 hours, also in the questions of a call', () => {
  assert.deepEqual([EVENING, EARLIER].map(timeOfDay), ['21:07', '09:07']);
  assert.match(timeLeft(EVENING), /^You can decide until 21:07: /);
});

test('a day stands before its month, whatever the language of the browser', () => {
  assert.deepEqual([EVENING, EARLIER].map(moment), ['26 Nov, 21:07', '26 Nov 2021, 09:07']);
  assert.equal(ago(EARLIER), '26 Nov');
});

test('a day without a time is the same day in every time zone, and a weekday has no comma', () => {
  const zone = process.env.TZ;
  for (const TZ of ['America/Los_Angeles', 'Pacific/Kiritimati']) {
    process.env.TZ = TZ;
    assert.equal(shortDay('2026-11-01'), '1 Nov');
    assert.equal(day('2021-01-01'), '1 Jan 2021');
    assert.equal(formatTime('2026-11-01', { weekday: 'short', day: 'numeric', month: 'short' }), 'Sun 1 Nov');
  }
  process.env.TZ = zone ?? '';
  assert.equal(wholeMoment(EARLIER), '26 Nov 2021, 09:07:00');
});

test('times of the same form are written by one formatter, which costs more to make than hundreds of them', (t) => {
  const made = t.mock.method(Intl, 'DateTimeFormat');
  const written = t.mock.method(Date.prototype, 'toLocaleString'); // makes one each time
  const days = Array.from({ length: 200 }, (_, at) => new Date(2026, 6, 1, 10, at).toISOString());
  const texts = days.map((iso) => wholeMoment(iso));
  assert.deepEqual([texts[0], texts[199]], ['1 Jul 2026, 10:00:00', '1 Jul 2026, 13:19:00']);
  assert.ok(made.mock.callCount() + written.mock.callCount() <= 1);
});

test('a computer that travels has the time of where it is', () => {
  const zone = process.env.TZ;
  const times = ['UTC', 'Asia/Tokyo', 'UTC'].map((TZ) => {
    process.env.TZ = TZ;
    return timeOfDay('2026-11-01T10:00:00Z');
  });
  process.env.TZ = zone ?? '';
  assert.deepEqual(times, ['10:00', '19:00', '10:00']);
});

test('what is no time is called so', () => {
  assert.equal(wholeMoment('soon'), 'Invalid Date');
});

test('nothing but the two modules for it writes times and numbers, so that no page takes the language of the browser', () => {
  const service = new URL('../../service/', import.meta.url);
  const files = readdirSync(service, { recursive: true }).map(String).filter((name) => name.endsWith('.js'));
  const own = files.filter((name) => /\.toLocale\w*String\(|new Intl\.DateTimeFormat|DateTimeFormat\(.*\)\.format|NumberFormat\(/.test(readFileSync(new URL(name, service), 'utf8')));
  assert.deepEqual(own.sort(), ['browser/shared/number-words.js', 'browser/shared/time-format.js']);
});
