// @ts-check
// Times read the same on every page and in every browser: the day before the month, and 24 hours.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ago, moment, timeOfDay } from '../../service/browser/shared/when.js';
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
