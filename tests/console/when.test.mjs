// @ts-check
// Times read the same on every page and in every browser: the day before the month, and 24 hours.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import { ago, day, formatTime, moment, shortDay, timeOfDay, wholeMoment } from '../../service/browser/shared/when.js';
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

test('nothing but the two modules for it writes times and numbers, so that no page takes the language of the browser', () => {
  const service = new URL('../../service/', import.meta.url);
  const files = readdirSync(service, { recursive: true }).map(String).filter((name) => name.endsWith('.js'));
  const own = files.filter((name) => /\.toLocale\w*String\(|DateTimeFormat\(.*\)\.format|NumberFormat\(/.test(readFileSync(new URL(name, service), 'utf8')));
  assert.deepEqual(own.sort(), ['browser/shared/number-words.js', 'browser/shared/when.js']);
});
