// Records for a widget that is alone: read again and again, also after the network was away.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import { readRecords } from '../../service/browser/widgets/client-records-standalone.js';

const RECORDS = { records: [{ recordId: 'r1', data: {}, createdAt: 'now', updatedAt: 'now' }] };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Reads with these answers, ten seconds apart; says what the widget got. */
async function reading(t, ...answers) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  globalThis.document = { visibilityState: 'visible' };
  t.after(() => delete globalThis.document);
  const got = [];
  const transport = { get: async () => answer(answers.shift()) };
  const stop = readRecords(transport, 'notes', { onRecords: () => got.push('records'), onError: ({ code }) => got.push(code) });
  for (let round = answers.length; round > 0; round -= 1) {
    await settle();
    t.mock.timers.tick(10_000);
  }
  await settle();
  stop();
  return got;
}

function answer(given) {
  if (given instanceof Error) throw given;
  return structuredClone(given);
}

test('records that are shown stay while the network is away, and are read again', async (t) => {
  assert.deepEqual(await reading(t, RECORDS, new NetworkError(), RECORDS), ['records', 'records']);
});

test('records that could not be read at first are read again until they come', async (t) => {
  const busy = new ApiError(503, { error: 'unavailable', message: 'Not now.' });
  assert.deepEqual(await reading(t, new NetworkError(), busy, RECORDS), ['records']);
});

test('records that are refused are an error, also at first', async (t) => {
  const refused = new ApiError(403, { error: 'forbidden', message: 'No.' });
  assert.deepEqual(await reading(t, RECORDS, refused, RECORDS), ['records', 'forbidden']);
  t.mock.timers.reset();
  assert.deepEqual(await reading(t, new NetworkError(), refused, RECORDS), ['forbidden']);
});
