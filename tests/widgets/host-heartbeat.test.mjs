// Whether a widget still runs: when it is asked, and what follows from no answer.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

import { ANSWER_TIME, REST, createHeartbeat } from '../../service/browser/widgets/host-heartbeat.js';

/** A heartbeat whose questions and silences are counted, with a clock of the test's own. */
function beating(t) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const counts = { asked: 0, silent: 0 };
  const ask = () => (counts.asked += 1);
  const pass = () => [REST, ANSWER_TIME].forEach((time) => mock.timers.tick(time)); // one timer sets the next
  return { counts, pass, ...createHeartbeat({ ask, onSilent: () => (counts.silent += 1) }) };
}

test('many messages are one question, and no message is none', (t) => {
  const { counts, sent, answered, pass } = beating(t);
  mock.timers.tick(10 * REST);
  for (let count = 0; count < 500; count += 1) sent();
  assert.equal(counts.asked, 0);
  mock.timers.tick(REST);
  assert.equal(counts.asked, 1);
  assert.equal(answered(), false);
  pass();
  assert.deepEqual(counts, { asked: 1, silent: 0 });
});

test('what is sent after the question is asked about once more', (t) => {
  const { counts, sent, answered, pass } = beating(t);
  sent();
  mock.timers.tick(REST);
  sent();
  answered();
  pass();
  assert.deepEqual(counts, { asked: 2, silent: 1 });
});

test('a late answer takes the silence back, and a stopped one is never silent', (t) => {
  const { counts, sent, answered, stop, pass } = beating(t);
  sent();
  pass();
  assert.equal(counts.silent, 1);
  assert.equal(answered(), true);
  assert.equal(answered(), false);
  sent();
  stop();
  pass();
  assert.equal(counts.silent, 1);
});
