// Calls that wait for their user: chunks and stored parts → parts of a message, and their words.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { actionOf } from '../../service/browser/chat/chat-actions.js';
import { EMPTY_REPLY, reduce } from '../../service/browser/chat/chat-reducer.js';
import { permissionsOf } from '../../service/browser/chat/consent-card.js';
import { createMessageView } from '../../service/browser/chat/message-view.js';
import { messagesOf } from '../../service/browser/chat/messages.js';
import { announcementOf, decisionProblem, doubtText, priceInWords, timeLeft } from '../../service/browser/chat/question-words.js';
import { ApiError } from '../../service/browser/shared/errors.js';
import './plain-dom.mjs';

const APPROVAL = { toolCallId: 'c1', endpoint: 'cloudsuite/mail-send', summary: 'Send.', body: { to: 'a@b.example' },
  credits: 0, expiresAt: '2030-01-01T10:00:00Z', state: 'asked' };
const CONSENT = { toolCallId: 'c1', endpoint: 'cloudsuite/contacts-list', provider: 'cloudsuite',
  scopes: ['https://suite.example/auth/contacts.readonly'], expiresAt: '2030-01-01T10:00:00Z', state: 'asked' };

const consent = (state) => ({ type: 'data-consent', id: 'c1', data: { ...CONSENT, state } });
const approval = (state) => ({ type: 'data-approval', id: 'c1', data: { ...APPROVAL, state } });
const replyOf = (chunks) => chunks.map(actionOf).filter(Boolean).reduce(reduce, EMPTY_REPLY);

test('a part with the same kind and id replaces the one before, at its place', () => {
  const call = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'integrations.call', input: {} };
  const output = { type: 'tool-output-available', toolCallId: 'c1', output: 1 };
  const text = { type: 'text-delta', id: 't', delta: 'done' };
  const { parts } = replyOf([
    call, consent('asked'), consent('granted'), approval('asked'), text, approval('once'), output,
  ]);
  assert.deepEqual(parts.map(({ kind }) => kind), ['call', 'consent', 'approval', 'text']);
  assert.deepEqual(parts.slice(1, 3).map(({ data }) => data.state), ['granted', 'once']);
  assert.equal(parts[0].state, 'done');
});

test('a stored message has the same parts as the stream', () => {
  const stored = { role: 'assistant', content: '', parts: [consent('expired'), approval('denied'), { type: 'data-later', id: 'c1', data: 1 }] };
  const [message] = messagesOf([{ recordId: 'm', data: stored }]);
  assert.deepEqual(message.parts, replyOf([consent('expired'), approval('denied')]).parts);
});

test('a stored question that nobody answered can’t be answered any more', () => {
  const stored = { role: 'assistant', content: '', parts: [consent('asked'), approval('asked'), approval('once')] };
  const [{ parts }] = messagesOf([{ recordId: 'm', data: stored }]);
  assert.deepEqual(parts.map(({ data }) => data.state), ['left', 'left', 'once']);
});

test('only what asks is announced', () => {
  const said = (chunk) => announcementOf(actionOf(chunk).part);
  assert.match(said(approval('asked')), /mail-send/);
  assert.match(said(consent('asked')), /Cloud suite/);
  assert.deepEqual([said(approval('once')), said(consent('granted'))], ['', '']);
});

test('prices, permissions and refused decisions are told in words', () => {
  const prices = [{ credits: 0, payer: 'user' }, { credits: 1 }, { credits: 0.25, payer: 'user' }, { credits: 2, payer: 'owner' }];
  assert.deepEqual(prices.map(priceInWords), [
    'It costs no credits.', 'It costs up to 1 credit.', 'It costs you up to 0.25 credits.',
    'It costs up to 2 credits. The owner of the app pays.',
  ]);
  assert.equal(priceInWords({ credits: 10.54125, payer: 'user', balance: 999.628 }), 'It costs you up to 10.55 credits. You have 999.63.');
  assert.equal(priceInWords({ credits: 0.000375, payer: 'user' }), 'It costs you up to 0.000375 credits.');
  const left = (/** @type {number} */ seconds) => timeLeft(new Date(seconds * 1000).toISOString(), 0).replace(/.*: /, '');
  assert.deepEqual([300, 119, 61, 59, -5].map(left), ['5 minutes left.', '2 minutes left.', '1 minute left.', 'less than a minute left.', 'less than a minute left.']);
  assert.match(permissionsOf(CONSENT)[0], /^Contacts: Look up/);
  assert.deepEqual(permissionsOf({ ...CONSENT, provider: 'other' }), ['contacts.readonly']);
  const told = [404, 409, 400].map((status) => decisionProblem(new ApiError(status, { message: 'no' })));
  assert.match(told[0], /does not wait any more/);
  assert.match(told[1], /decided already/);
  assert.equal(told[2], 'no');
});

test('a number that may be shown as another one than is sent is named', () => {
  assert.match(doubtText(JSON.parse('{"of": [{"id": 9007199254740993}]}')), /9007199254740992 .* last digits/);
  assert.match(doubtText(JSON.parse('{"id": -1000000000000000000001}')), /^-1e\+21 is too large/);
  assert.match(doubtText(JSON.parse(`{"id": 1${'0'.repeat(400)}}`)), /^Infinity is too large/);
  assert.equal(doubtText({ id: '9007199254740993', count: 5, share: 0.1, none: null, last: Number.MAX_SAFE_INTEGER }), '');
});

test('a card takes the place of its sign of loading, although nothing else of its message has changed', () => {
  let isLoaded = false;
  const createCard = (kind) => {
    const node = document.createElement('p');
    const update = (part) => (node.textContent = `${kind} ${part.id}`);
    return isLoaded ? { kind, node, update } : { kind: 'late', node, update: () => {} };
  };
  const view = createMessageView('assistant', createCard);
  const message = { id: 'm', role: 'assistant', text: '', parts: replyOf([approval('asked')]).parts };
  view.update(message, {}, null);
  assert.doesNotMatch(view.node.textContent, /approval/);
  isLoaded = true;
  view.update(message, {}, null);
  assert.match(view.node.textContent, /approval c1/);
});
