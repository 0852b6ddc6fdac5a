// The text of a message in the inspector: any message, no secrets, never long.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { messageText } from '../../service/browser/widgets/message-text.js';

test('a message is shown as JSON', () => {
  const message = { slotId: 'person', value: { name: 'Ada "A"', ages: [1, null, true] } };
  assert.equal(messageText(message, 500), JSON.stringify(message));
});

test('secrets are not shown, at any depth', () => {
  const envelope = { data: { authUrl: 'https://p.invalid/?state=5', accessToken: 'eyJ', list: [{ client_secret: 's3' }] } };
  const text = messageText({ nonce: 'n0', consentId: 'c1', Authorization: 'Bearer b2', envelope, 'x-api-key': 'k4' }, 500);
  for (const secret of ['p.invalid', 'eyJ', 's3', 'n0', 'c1', 'b2', 'k4']) assert.ok(!text.includes(secret), secret);
});

test('what is no JSON is named, and a circle ends', () => {
  const circle = { big: 10n, map: new Map(), date: new Date(), none: undefined };
  circle.self = circle;
  const text = messageText(circle, 500);
  assert.match(text, /"big":10,"map":Map,"date":Date,"none":undefined,"self":not_json\}/);
  assert.ok(text.length <= 501);
});

test('the same object twice is no circle', () => {
  const twice = { id: 1 };
  assert.equal(messageText([twice, { twice }], 500), '[{"id":1},{"twice":{"id":1}}]');
});

test('of a large message a beginning is shown', () => {
  const large = { text: 'x'.repeat(1e7), list: Array.from({ length: 1e6 }, () => ({})) };
  assert.ok(messageText(large, 100).length <= 101);
  assert.ok(messageText([large.list, large.text], 100).length <= 101);
});

test('what would take for ever to write out is cut like others', () => {
  let empty = [];
  for (let level = 0; level < 6; level += 1) empty = new Array(300).fill(empty);
  assert.ok(messageText({ empty, big: 1n << 1_000_000_000n }, 100).length <= 101);
  assert.equal(messageText({ big: 1n << 1_000_000_000n }, 100), '{"big":BigInt}');
});
