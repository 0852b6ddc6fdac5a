// Connections: how answers request consent, the wait for it, the cards, the previews.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describedIntegration } from '../../service/browser/integrations/catalog-cards.js';
import { advice, failureInWords } from '../../service/browser/integrations/connection-words.js';
import { createConnectionsView } from '../../service/browser/integrations/connections-view.js';
import { integrationOf } from '../../service/browser/integrations/integrations.js';
import { contactLines, eventLines, fileLines, mailLines } from '../../service/browser/integrations/previews.js';
import { createTransport } from '../../service/browser/shared/api-transport.js';
import { createConnections, isGranted } from '../../service/browser/shared/connections.js';
import { createSignals, waitForConsent } from '../../service/browser/shared/consent-wait.js';
import { createConsents } from '../../service/browser/shared/consent.js';
import { ApiError, NetworkError } from '../../service/browser/shared/errors.js';
import {
  consentNeeded, isAboutTheBody, isRefreshFailure, isResult, safeAuthUrl,
} from '../../service/browser/shared/oauth-answer.js';
import { oneLine } from '../../service/browser/shared/words.js';
import './plain-dom.mjs';

const URL_OF_CONSENT = 'https://suite.example/authorize?state=s';
const NEEDED = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['x'], authUrl: URL_OF_CONSENT };
const FLAGS = ['mailRead', 'mailSend', 'mailModify', 'calendar', 'drive', 'contacts'];
const CARDS = Object.fromEntries(integrationOf('cloudsuite').cards.map((card) => [card.flag, card]));

const socket = { phase: 'open', onPhase: () => () => {} };

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('an integration of an app has a card for each flag, and one for what no flag shows', () => {
  const one = (name, flag, more) => ({ name, flag, integration: 'code-host', scopes: ['s'], summary: `About ${name}.`, autoApprove: false, ...more });
  const catalog = [
    one('order', 'orderWrite'), one('cancel', 'orderWrite'), one('orders', 'orderWrite', { autoApprove: true }), one('refund', 'orderWrite'),
    one('plan', null), one('public', null, { scopes: [] }), one('other', 'orderWrite', { integration: 'else' }),
  ];
  const { title, cards } = describedIntegration('code-host', catalog);
  assert.equal(title, 'Code host');
  assert.deepEqual(cards.map((card) => [card.title, card.flag, card.endpoint, card.allows]), [
    ['Order write', 'orderWrite', 'order', 'About order. About cancel. About orders. And 1 more.'],
    ['Account', 'connected', 'plan', 'About plan.'],
  ]);
  assert.equal(cards[0].testCall, undefined);
  assert.deepEqual(describedIntegration('code-host', []).cards, []);
});

test('a connection says since when and why it fails, and what to do', () => {
  const failing = { state: 'failing', failingSince: '2026-11-23T10:00:00Z', failure: 'refused' };
  assert.match(failureInWords(failing), /since 23 Nov.*, \d\d:00\. .*refused to renew it. Disconnect, and connect again/);
  assert.match(failureInWords({ ...failing, failure: 'unreachable' }), /could not be reached. It is tried again/);
  assert.equal(failureInWords({ ...failing, state: 'working' }), '');
  assert.equal(failureInWords(undefined), '');
});

test('the failure of an account that was disconnected meanwhile is not told', async (t) => {
  globalThis.window = { addEventListener() {}, removeEventListener() {} };
  Object.assign(document.body.constructor.prototype, { insertBefore(node) { this.append(node); } });
  const failing = { cloudsuite: { state: 'failing', failingSince: '2026-11-23T10:00:00Z', failure: 'refused' } };
  let connected = true;
  const asked = [];
  const get = (path) => (path.endsWith('health') ? new Promise((resolve) => asked.push(() => resolve(failing))) : Promise.resolve({ cloudsuite: { connected } }));
  const view = createConnectionsView({ transport: { get }, announce() {}, socket });
  t.after(view.stop);
  view.show();
  await settle();
  connected = false;
  view.show();
  await settle();
  asked[0]();
  await settle();
  assert.doesNotMatch(view.node.textContent, /could not be renewed/);
  connected = true;
  view.show();
  await settle();
  asked[1]();
  await settle();
  assert.match(view.node.textContent, /could not be renewed/);
});

test('the health of all accounts is read with one request', async (t) => {
  const failing = { state: 'failing', failingSince: '2026-11-23T10:00:00Z', failure: 'refused' };
  const answers = {
    '/api/integrations/status': { cloudsuite: { connected: true }, shortvideo: { connected: true } },
    '/api/integrations/health': { cloudsuite: failing, shortvideo: failing },
  };
  const asked = [];
  const view = createConnectionsView({ transport: { get: async (path) => (asked.push(path), answers[path]) }, announce() {}, socket });
  t.after(view.stop);
  view.show();
  await settle();
  assert.deepEqual(asked, Object.keys(answers));
  assert.equal(view.node.textContent.match(/could not be renewed/g).length, 2);
});

test('the health is read once also where the catalog is read for the cards of an app, which show it', async (t) => {
  const failing = { state: 'failing', failingSince: '2026-11-23T10:00:00Z', failure: 'refused' };
  const answers = {
    '/api/integrations/status': { clips: { connected: true } },
    '/api/integrations/health': { clips: failing },
    '/api/integrations/catalog': { endpoints: [{ name: 'clips-list', flag: 'list', integration: 'clips', scopes: ['s'], summary: 'Clips of yours.', autoApprove: true }] },
  };
  for (const isLate of [false, true]) {
    const asked = [];
    const get = async (path) => {
      asked.push(path);
      if (isLate && path.endsWith('catalog')) await settle();
      return answers[path];
    };
    const view = createConnectionsView({ transport: { get }, announce() {}, socket });
    t.after(view.stop);
    view.show();
    await settle();
    await settle();
    assert.deepEqual(asked.sort(), Object.keys(answers).sort());
    assert.match(view.node.textContent, /could not be renewed/);
    assert.match(view.node.textContent, /List.*Clips of yours\./);
  }
});

test('consent is read from the data, or from an answer that is the data', () => {
  assert.equal(consentNeeded({ success: true, data: NEEDED }), NEEDED);
  assert.equal(consentNeeded(NEEDED), NEEDED);
  assert.equal(consentNeeded({ success: true, data: { events: [] } }), null);
  assert.equal(consentNeeded({ success: true, requiresOAuth: true, data: { files: [] } }), null);
  assert.equal(consentNeeded({ success: true, data: { requiresOAuth: 'true' } }), null);
  assert.equal(consentNeeded(null), null);
});

test('a consent page is encrypted, or on this machine', () => {
  for (const url of [URL_OF_CONSENT, 'http://127.0.0.1:8000/a', 'http://localhost/a', 'http://[::1]:9/']) {
    assert.equal(safeAuthUrl(url), url);
  }
  for (const url of ['http://suite.example/', 'javascript:alert(1)', 'data:text/html,x', 'blob:https://a/b',
    'http://localhost.evil.example/', 'http://127.0.0.1.evil.example/', 'https://a:b@suite.example/',
    'file:///etc/passwd', '/relative', '', null, 5]) {
    assert.throws(() => safeAuthUrl(url), /not safe/, String(url));
  }
});

test('only the signature of a failed refresh asks for a reconnect', () => {
  const body = { error: 'upstream_provider_error', message: 'Token refresh failed. Reconnect.' };
  assert.equal(isRefreshFailure(new ApiError(502, body)), true);
  assert.equal(isRefreshFailure(new ApiError(500, body)), false);
  assert.equal(isRefreshFailure(new ApiError(502, { ...body, message: 'The upstream failed.' })), false);
  assert.equal(isRefreshFailure(new NetworkError('Token refresh failed')), false);
  assert.equal(isAboutTheBody(new ApiError(400, { error: 'invalid_request' })), true);
  assert.equal(isAboutTheBody(new ApiError(400, { error: 'invalid_model' })), false);
});

test('no other message is accepted as a result', () => {
  const result = { type: 'oauth-result', integration: 'cloudsuite', outcome: 'connected' };
  assert.equal(isResult(result), true);
  for (const other of [null, 'oauth-result', {}, { ...result, type: 'x' }, { ...result, outcome: 'yes' },
    { ...result, integration: 5 }]) {
    assert.equal(isResult(other), false);
  }
});

/** A clock that advances only in `sleep`; `at` maps a second to what happens then. */
function clock(at = {}) {
  let time = 0;
  return {
    now: () => time,
    async sleep(milliseconds) {
      const end = time + milliseconds;
      for (const [second, act] of Object.entries(at)) {
        if (second * 1000 > time && second * 1000 <= end) act();
      }
      time = end;
    },
  };
}

/** How a wait ends, the seconds at which the status was read, and the stages shown. */
async function wait({ flags = {}, arrivals = {}, grantedBefore = false, away = [] }) {
  const signals = createSignals();
  const { now, sleep } = clock(Object.fromEntries(Object.entries(arrivals).map(([s, a]) => [s, () => signals.send(a)])));
  const reads = [];
  const stages = [];
  const readGranted = async () => {
    reads.push(now() / 1000);
    if (away.includes(now() / 1000)) throw new NetworkError();
    return now() >= (flags.from ?? Infinity) * 1000;
  };
  const onStage = (stage) => stages.push(stage);
  const ending = await waitForConsent({ readGranted, grantedBefore, signals, onStage, now, sleep });
  return { ending, reads, stages };
}

test('the status is read after 1 s, 2 s, then every 5 s for three minutes', async () => {
  const { ending, reads } = await wait({});
  assert.equal(ending, 'late');
  assert.deepEqual(reads.slice(0, 5), [1, 3, 8, 13, 18]);
  assert.equal(reads.at(-1), 183);
});

test('a consent that another browser completes is found by the status alone', async () => {
  assert.deepEqual(await wait({ flags: { from: 10 } }), { ending: 'granted', reads: [1, 3, 8, 13], stages: [] });
});

test('the report of the page counts only together with the status', async () => {
  assert.equal((await wait({ arrivals: { 1: 'connected' }, flags: { from: 1 } })).ending, 'granted');
  assert.equal((await wait({ arrivals: { 1: 'connected' } })).ending, 'unticked');
  assert.deepEqual(await wait({ arrivals: { 1: 'failed' } }), { ending: 'refused', reads: [], stages: [] });
});

test('a closed window is not taken for a refusal', async () => {
  assert.deepEqual((await wait({ arrivals: { 1: 'closed' }, flags: { from: 1 } })).stages, []);
  const { ending, stages } = await wait({ arrivals: { 1: 'closed' }, flags: { from: 60 } });
  assert.deepEqual([ending, stages], ['granted', ['closed']]);
});

test('the wait continues while a page asks for confirmation', async () => {
  const { ending, stages } = await wait({ arrivals: { 1: 'unconfirmed', 8: 'connected' }, flags: { from: 8 } });
  assert.deepEqual([ending, stages], ['granted', ['unconfirmed']]);
});

test('a flag that was set before proves nothing; only the report of the page counts', async () => {
  assert.equal((await wait({ grantedBefore: true, flags: { from: 0 } })).ending, 'late');
  assert.equal((await wait({ grantedBefore: true, flags: { from: 0 }, arrivals: { 8: 'connected' } })).ending, 'granted');
});

test('a status that can not be read for a moment does not end the wait, nor takes the report of the page for another', async () => {
  assert.deepEqual((await wait({ away: [1, 3], flags: { from: 0 } })), { ending: 'granted', reads: [1, 3, 8], stages: [] });
  const reported = { arrivals: { 3: 'connected' }, away: [3, 8] };
  for (const grantedBefore of [false, true]) {
    assert.deepEqual(await wait({ ...reported, grantedBefore, flags: { from: 0 }, away: [1, 3, 8] }).then(({ ending }) => ending), 'granted');
    assert.equal((await wait({ ...reported, grantedBefore })).ending, 'unticked');
  }
});

test('no signal is lost between two sleeps', async () => {
  const signals = createSignals();
  signals.send('unconfirmed');
  signals.send('stop');
  await signals.arrival();
  assert.deepEqual([signals.take(), signals.take(), signals.take()], ['unconfirmed', 'stop', undefined]);
});

/** The whole flow, with a scripted server and window. */
function scene({ answers = [], statuses = [], blocked = false, during = {} }) {
  const log = [];
  const reply = (status, body) => new Response(JSON.stringify(body), { status });
  const fetch = async (path, { method, body }) => {
    log.push(`${method} ${path}${body ? ` ${body}` : ''}`);
    if (path.endsWith('/status') && statuses[0] === 'away') return reply(503, { error: statuses.shift(), message: 'Away.' });
    if (path.endsWith('/status')) return reply(200, { cloudsuite: statuses.shift() ?? {} });
    if (method === 'DELETE') return reply(200, { success: true, data: {} });
    const [status, answer] = answers.shift();
    return reply(status, answer);
  };
  const transport = createTransport({ token: () => 't', onUnauthorized: () => {}, fetch });
  const popup = {
    closed: false,
    close: () => log.push('closed') && (popup.closed = true),
    location: { replace: (url) => log.push(`shown ${url}`) },
  };
  const open = (url) => log.push(`opened ${url}`) && (blocked ? null : popup);
  const connections = createConnections(transport);
  const consents = createConsents({ transport, connections, environment: { open, ...clock(during) } });
  const stages = [];
  const request = (flag, renew = false) =>
    consents.request('cloudsuite', CARDS[flag], { renew, onStage: (...stage) => stages.push(stage) });
  return { request, consents, log, popup, stages };
}

const PAYLOAD = [200, { success: true, data: NEEDED }];
const result = (outcome) => ({ type: 'oauth-result', integration: 'cloudsuite', outcome });

test('the window is opened before the first request, then shows the consent page', async () => {
  const { request, log, stages } = scene({ answers: [PAYLOAD], statuses: [{ calendar: true }] });
  const ending = request('calendar');
  assert.deepEqual(log.slice(0, 2), ['opened about:blank', 'POST /api/integrations/cloudsuite/calendar-list-events {"$consent":true}']);
  assert.equal(await ending, 'granted');
  assert.deepEqual(log.slice(2), [`shown ${URL_OF_CONSENT}`, 'GET /api/integrations/status', 'closed']);
  assert.deepEqual(stages, [['requesting'], ['waiting']]);
});

test('without a window there is an address to follow', async () => {
  const { request, stages } = scene({ answers: [PAYLOAD], statuses: [{ drive: true }], blocked: true });
  assert.equal(await request('drive'), 'granted');
  assert.deepEqual(stages, [['requesting'], ['blocked', URL_OF_CONSENT]]);
});

test('a reconnect forgets the tokens first', async () => {
  const { request, log } = scene({ answers: [PAYLOAD], statuses: [{}, { contacts: true }] });
  assert.equal(await request('contacts', true), 'granted');
  assert.equal(log[0], 'opened about:blank');
  assert.equal(log[1], 'DELETE /api/integrations/oauth/cloudsuite/disconnect');
});

test('an error about the body means that the grant exists already', async () => {
  const refusal = [400, { success: false, error: 'invalid_request', message: 'to is missing' }];
  const { request, log } = scene({ answers: [refusal], statuses: [{ mailSend: true }] });
  assert.equal(await request('mailSend'), 'granted');
  assert.ok(log.includes('closed'));
});

test('an unsafe address and a refusal close the window and are reported', async () => {
  const unsafe = [200, { success: true, data: { ...NEEDED, authUrl: 'javascript:alert(1)' } }];
  const failed = [502, { success: false, error: 'upstream_provider_error', message: 'Token refresh failed.' }];
  for (const [answer, words] of [[unsafe, /not safe/], [failed, /Token refresh failed/]]) {
    const { request, log } = scene({ answers: [answer] });
    await assert.rejects(request('drive'), words);
    assert.equal(log.at(-1), 'closed');
    assert.ok(!log.some((line) => line.startsWith('shown')));
  }
});

test('a message ends the wait at once; one about another integration does not', async () => {
  const stage = scene({
    answers: [PAYLOAD],
    statuses: [],
    during: {
      0.4: () => stage.consents.receive({ ...result('failed'), integration: 'other' }),
      0.9: () => stage.consents.receive(result('failed')),
    },
  });
  assert.equal(await stage.request('drive'), 'refused');
  assert.equal(stage.popup.closed, false, 'its page says why');
});

test('the outcome of a consent that another tab has requested does not end the wait', async () => {
  for (const outcome of ['failed', 'connected']) {
    const stage = scene({
      answers: [PAYLOAD],
      statuses: [{ calendar: true }, { calendar: true }, { calendar: true, drive: true }],
      during: { 0.9: () => stage.consents.receive({ ...result(outcome), state: 'of another tab' }) },
    });
    assert.equal(await stage.request('drive'), 'granted');
  }
});

test('the outcome of this consent ends the wait, with its state or without', async () => {
  for (const own of [{ state: 's' }, {}]) {
    const stage = scene({ answers: [PAYLOAD], during: { 0.9: () => stage.consents.receive({ ...result('failed'), ...own }) } });
    assert.equal(await stage.request('drive'), 'refused');
  }
});

test('a report that comes while the status can not be read is no permission that was left out', async () => {
  const stage = scene({
    answers: [PAYLOAD],
    statuses: ['away', { drive: true }],
    during: { 0.9: () => stage.consents.receive(result('connected')) },
  });
  assert.equal(await stage.request('drive'), 'granted');
});

test('a second consent takes the place of the first', async () => {
  const { request, popup } = scene({ answers: [PAYLOAD, PAYLOAD], statuses: [{}, { drive: true }, { drive: true }] });
  const first = request('calendar');
  const second = request('drive');
  assert.equal(popup.closed, true);
  assert.deepEqual(await Promise.all([first, second]), ['stopped', 'granted']);
});

test('a late answer about the status does not undo a newer one', async () => {
  const replies = [];
  const get = () => new Promise((resolve) => replies.push(resolve));
  const connections = createConnections({ get });
  const all = [connections.refresh(), connections.refresh()];
  replies[1]({ cloudsuite: { connected: true } });
  replies[0]({ cloudsuite: { connected: false } });
  await Promise.all(all);
  assert.equal(connections.of('cloudsuite').connected, true);
  assert.deepEqual(connections.of('unheard-of'), { connected: false });
});

test('each card looks at its own flag, and no two at the same', () => {
  assert.deepEqual(Object.keys(CARDS), FLAGS);
  for (const flag of FLAGS) {
    const granted = FLAGS.filter((other) => isGranted(CARDS[other], { connected: true, mail: true, [flag]: true }));
    assert.deepEqual(granted, [flag]);
  }
  assert.equal(isGranted(CARDS.drive, { connected: true, drive: 'yes' }), false);
});

test('an integration that is not known by name has no cards', () => {
  assert.deepEqual(integrationOf('teamchat'), { title: 'Teamchat', cards: [] });
  assert.deepEqual(integrationOf('constructor').cards, []);
});

test('the test message goes to the account itself', () => {
  const { testCall } = CARDS.mailSend;
  const status = { connected: true, email: 'alice@example.com' };
  assert.deepEqual(Object.keys(testCall.body(status)), ['to', 'subject', 'content']);
  assert.equal(testCall.body(status).to, 'alice@example.com');
  assert.match(testCall.confirmation(status).text, /alice@example\.com/);
});

test('previews show a few lines of any data', () => {
  const mail = { subject: 'Lunch', from: '"Bob" <bob@example.com>', receivedAt: '1795421700000' };
  const [line] = mailLines({ messages: [mail] });
  assert.equal(line.text, 'Lunch');
  assert.match(line.about, /^Bob · .*\d\d:\d\d$/);
  assert.equal(mailLines({ messages: [{ from: '<bob@example.com>' }] })[0].about, '<bob@example.com>');
  assert.equal(mailLines({ messages: [{ ...mail, from: 'bob', receivedAt: null }] })[0].about, 'bob'); // without a time, not one of 1970
  assert.equal(mailLines({ messages: Array(9).fill(mail) }).length, 3);
  assert.match(eventLines({ events: [{ title: 'Fair', start: '2026-12-24', allDay: true }] })[0].about, /24/);
  assert.match(fileLines({ files: [{ name: 'a', isFolder: true }] })[0].about, /^Folder$/);
  assert.deepEqual(contactLines({ contacts: [{ emails: ['c@example.com'] }] }), [
    { text: 'c@example.com', about: 'c@example.com' },
  ]);
  for (const lines of [mailLines, eventLines, fileLines, contactLines]) {
    for (const data of [null, {}, { messages: 5, events: 'x', files: {}, contacts: [null, 7] }]) {
      assert.deepEqual(lines(data), []);
    }
    const odd = [{ emails: 5, start: 'x', modifiedTime: {}, receivedAt: 'x', from: 1 }];
    assert.equal(lines({ messages: odd, events: odd, files: odd, contacts: odd }).length, 1);
  }
});

test('a preview is one line, is cut between characters, and has no direction marks', () => {
  assert.equal(oneLine('a\u202Egpj.exe\n\tb\u0000'), 'a gpj.exe b');
  assert.equal([...oneLine('👩‍🚀'.repeat(90))].length, 90);
  assert.ok(oneLine('x'.repeat(200)).endsWith('x…'));
  assert.equal(oneLine({ toString: () => 'x' }), '');
});

test('every failure comes with advice', () => {
  const of = (status, error, message, after) => advice(new ApiError(status, { error, message }, after));
  assert.match(of(502, 'upstream_provider_error', 'Token refresh failed: x'), /Reconnect/);
  assert.match(of(502, 'upstream_provider_error', 'It failed.'), /It failed\. Try again/);
  assert.match(of(504, 'upstream_timeout', 'Slow.'), /Try again/);
  assert.match(of(403, 'forbidden', 'No.'), /Ask/);
  assert.match(of(404, 'unknown_endpoint', 'None.'), /operator/);
  assert.match(of(429, 'rate_limited', 'Wait.', 7), /7 s/);
  assert.match(advice(new NetworkError()), /try again/);
});
