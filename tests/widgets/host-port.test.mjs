// What a widget gets on its port, where the page around it can't get it either.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NetworkError } from '../../service/browser/shared/errors.js';
import { createRefusalCounter } from '../../service/browser/widgets/host-refusals.js';
import { createPortReceiver } from '../../service/browser/widgets/host-port.js';

const NEED = { authUrl: 'https://provider.invalid/consent' };
const fail = async () => {
  throw new NetworkError('No network.');
};

/** The receiver of a widget's port, and what the widget is sent. */
function port(options) {
  const sent = [];
  const session = { widget: { id: 'a' }, send: (message) => sent.push(message) };
  const refusals = createRefusalCounter(() => {});
  const rest = { calls: {}, records: {}, refusals, state: () => null, store: () => null, force() {}, resize() {}, drop() {} };
  const receive = createPortReceiver({ session, needs: { of: () => NEED }, options, ...rest });
  return { receive, sent };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a consent that fails is answered with the reason', async () => {
  const { receive, sent } = port({ consent: fail });
  receive({ type: 'widget-consent-request', requestId: 'r', consentId: 'c' });
  await settle();
  const answer = { type: 'widget-consent-result', requestId: 'r', status: 'cancelled', error: 'network', message: 'No network.' };
  assert.deepEqual(sent, [answer]);
});

test('a status that can not be read is answered with the reason', async () => {
  const { receive, sent } = port({ scopes: fail });
  receive({ type: 'widget-scopes-get', requestId: 'r' });
  await settle();
  assert.deepEqual(sent, [{ type: 'widget-scopes', requestId: 'r', integrations: {}, error: 'network', message: 'No network.' }]);
});

test('of a connection a widget learns the flags and no address', async () => {
  const { receive, sent } = port({ scopes: async () => ({ mail: { connected: true, email: 'ada@suite.invalid' } }) });
  receive({ type: 'widget-scopes-get', requestId: 'r' });
  await settle();
  assert.deepEqual(sent[0].integrations, { mail: { connected: true } });
});
