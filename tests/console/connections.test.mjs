// Connections: consent as answers tell of it, the wait for it, the cards, the previews.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createTransport } from '../../service/console/static/api-transport.js';
import { advice } from '../../service/console/static/connection-words.js';
import { createConnections } from '../../service/console/static/connections.js';
import { createNews, waitForConsent } from '../../service/console/static/consent-wait.js';
import { createConsents } from '../../service/console/static/consent.js';
import { ApiError, NetworkError } from '../../service/console/static/errors.js';
import { integrationOf, isGranted } from '../../service/console/static/integrations.js';
import {
  consentNeeded, isAboutTheBody, isRefreshFailure, isResult, safeAuthUrl,
} from '../../service/console/static/oauth-answer.js';
import { contactLines, eventLines, fileLines, mailLines, plain } from '../../service/console/static/previews.js';

const URL_OF_CONSENT = 'https://suite.example/authorize?state=s';
const NEEDED = { requiresOAuth: true, provider: 'cloudsuite', scopes: ['x'], authUrl: URL_OF_CONSENT };
const FLAGS = ['mailRead', 'mailSend', 'mailModify', 'calendar', 'drive', 'contacts'];
const CARDS = Object.fromEntries(integrationOf('cloudsuite').cards.map((card) => [card.flag, card]));

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

test('no other message passes for a result', () => {
  const result = { type: 'oauth-result', integration: 'cloudsuite', outcome: 'connected' };
  assert.equal(isResult(result), true);
  for (const other of [null, 'oauth-result', {}, { ...result, type: 'x' }, { ...result, outcome: 'yes' },
    { ...result, integration: 5 }]) {
    assert.equal(isResult(other), false);
  }
});

/** A clock that runs only when somebody sleeps; `at` is what happens at which second. */
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

/** How a wait ends, the seconds at which the status was asked, and what was told. */
async function waited({ flags = {}, news = {}, lit = false }) {
  const heard = createNews();
  const { now, sleep } = clock(Object.fromEntries(Object.entries(news).map(([s, n]) => [s, () => heard.tell(n)])));
  const asked = [];
  const told = [];
  const granted = async () => {
    asked.push(now() / 1000);
    return now() >= (flags.from ?? Infinity) * 1000;
  };
  const ending = await waitForConsent({ granted, lit, news: heard, tell: (what) => told.push(what), now, sleep });
  return { ending, asked, told };
}

test('the status is asked after 1 s, 2 s, then every 5 s for three minutes', async () => {
  const { ending, asked } = await waited({});
  assert.equal(ending, 'late');
  assert.deepEqual(asked.slice(0, 5), [1, 3, 8, 13, 18]);
  assert.equal(asked.at(-1), 183);
});

test('a consent that another browser completes is found by the status alone', async () => {
  assert.deepEqual(await waited({ flags: { from: 10 } }), { ending: 'granted', asked: [1, 3, 8, 13], told: [] });
});

test('the page that ends a consent is believed only together with the status', async () => {
  assert.equal((await waited({ news: { 1: 'connected' }, flags: { from: 1 } })).ending, 'granted');
  assert.equal((await waited({ news: { 1: 'connected' } })).ending, 'unticked');
  assert.deepEqual(await waited({ news: { 1: 'failed' } }), { ending: 'refused', asked: [], told: [] });
});

test('a window that has closed is a reason to ask, not a refusal', async () => {
  assert.deepEqual((await waited({ news: { 1: 'closed' }, flags: { from: 1 } })).told, []);
  const { ending, told } = await waited({ news: { 1: 'closed' }, flags: { from: 60 } });
  assert.deepEqual([ending, told], ['granted', ['closed']]);
});

test('a page that asks for confirmation is waited for', async () => {
  const { ending, told } = await waited({ news: { 1: 'unconfirmed', 8: 'connected' }, flags: { from: 8 } });
  assert.deepEqual([ending, told], ['granted', ['unconfirmed']]);
});

test('a flag that was lit before proves nothing; only the page does', async () => {
  assert.equal((await waited({ lit: true, flags: { from: 0 } })).ending, 'late');
  assert.equal((await waited({ lit: true, flags: { from: 0 }, news: { 8: 'connected' } })).ending, 'granted');
});

test('no piece of news is lost between two sleeps', async () => {
  const news = createNews();
  news.tell('unconfirmed');
  news.tell('stop');
  await news.arrival();
  assert.deepEqual([news.take(), news.take(), news.take()], ['unconfirmed', 'stop', undefined]);
});

/** The flow against a server and a window that are scripted. */
function scene({ answers = [], statuses = [], blocked = false, during = {} }) {
  const log = [];
  const reply = (status, body) => new Response(JSON.stringify(body), { status });
  const fetch = async (path, { method, body }) => {
    log.push(`${method} ${path}${body ? ` ${body}` : ''}`);
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
  const consents = createConsents({ transport, connections, here: { open, ...clock(during) } });
  const stages = [];
  const ask = (flag, renew = false) =>
    consents.ask('cloudsuite', CARDS[flag], { renew, tell: (...told) => stages.push(told) });
  return { ask, consents, log, popup, stages };
}

const PAYLOAD = [200, { success: true, data: NEEDED }];
const result = (outcome) => ({ type: 'oauth-result', integration: 'cloudsuite', outcome });

test('the window is opened before anything is asked, then shows the consent page', async () => {
  const { ask, log, stages } = scene({ answers: [PAYLOAD], statuses: [{ calendar: true }] });
  const asking = ask('calendar');
  assert.deepEqual(log.slice(0, 2), ['opened about:blank', 'POST /api/integrations/cloudsuite/calendar-list-events {}']);
  assert.equal(await asking, 'granted');
  assert.deepEqual(log.slice(2), [`shown ${URL_OF_CONSENT}`, 'GET /api/integrations/status', 'closed']);
  assert.deepEqual(stages, [['asking'], ['waiting']]);
});

test('without a window there is an address to follow', async () => {
  const { ask, stages } = scene({ answers: [PAYLOAD], statuses: [{ drive: true }], blocked: true });
  assert.equal(await ask('drive'), 'granted');
  assert.deepEqual(stages, [['asking'], ['blocked', URL_OF_CONSENT]]);
});

test('a reconnect forgets the tokens first', async () => {
  const { ask, log } = scene({ answers: [PAYLOAD], statuses: [{}, { contacts: true }] });
  assert.equal(await ask('contacts', true), 'granted');
  assert.equal(log[0], 'opened about:blank');
  assert.equal(log[1], 'DELETE /api/integrations/oauth/cloudsuite/disconnect');
});

test('who is told about the body has the grant already', async () => {
  const refusal = [400, { success: false, error: 'invalid_request', message: 'to is missing' }];
  const { ask, log } = scene({ answers: [refusal], statuses: [{ mailSend: true }] });
  assert.equal(await ask('mailSend'), 'granted');
  assert.ok(log.includes('closed'));
});

test('an unsafe address and a refusal close the window and are told', async () => {
  const unsafe = [200, { success: true, data: { ...NEEDED, authUrl: 'javascript:alert(1)' } }];
  const failed = [502, { success: false, error: 'upstream_provider_error', message: 'Token refresh failed.' }];
  for (const [answer, words] of [[unsafe, /not safe/], [failed, /Token refresh failed/]]) {
    const { ask, log } = scene({ answers: [answer] });
    await assert.rejects(ask('drive'), words);
    assert.equal(log.at(-1), 'closed');
    assert.ok(!log.some((line) => line.startsWith('shown')));
  }
});

test('a message ends the wait at once; one about another integration does not', async () => {
  const stage = scene({
    answers: [PAYLOAD],
    statuses: [],
    during: {
      0.4: () => stage.consents.hear({ ...result('failed'), integration: 'other' }),
      0.9: () => stage.consents.hear(result('failed')),
    },
  });
  assert.equal(await stage.ask('drive'), 'refused');
  assert.equal(stage.popup.closed, false, 'its page says why');
});

test('a second consent takes the place of the first', async () => {
  const { ask, popup } = scene({ answers: [PAYLOAD, PAYLOAD], statuses: [{}, { drive: true }, { drive: true }] });
  const first = ask('calendar');
  const second = ask('drive');
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
    const lit = FLAGS.filter((other) => isGranted(CARDS[other], { connected: true, mail: true, [flag]: true }));
    assert.deepEqual(lit, [flag]);
  }
  assert.equal(isGranted(CARDS.drive, { connected: true, drive: 'yes' }), false);
});

test('an integration that is not known by name has no cards', () => {
  assert.deepEqual(integrationOf('teamchat'), { title: 'teamchat', cards: [] });
  assert.deepEqual(integrationOf('constructor').cards, []);
});

test('the test message goes to the account itself', () => {
  const { attempt } = CARDS.mailSend;
  const status = { connected: true, email: 'alice@example.com' };
  assert.deepEqual(Object.keys(attempt.body(status)), ['to', 'subject', 'content']);
  assert.equal(attempt.body(status).to, 'alice@example.com');
  assert.match(attempt.question(status).text, /alice@example\.com/);
});

test('previews show a few lines, of whatever comes', () => {
  const mail = { subject: 'Lunch', from: '"Bob" <bob@example.com>', receivedAt: '1795421700000' };
  const [line] = mailLines({ messages: [mail] });
  assert.equal(line.text, 'Lunch');
  assert.match(line.about, /^Bob · .*\d\d:\d\d$/);
  assert.equal(mailLines({ messages: [{ from: '<bob@example.com>' }] })[0].about, '<bob@example.com>');
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

test('a preview is one line, cut at a letter, and turns no writing around', () => {
  assert.equal(plain('a\u202Egpj.exe\n\tb\u0000'), 'a gpj.exe b');
  assert.equal([...plain('👩‍🚀'.repeat(90))].length, 90);
  assert.ok(plain('x'.repeat(200)).endsWith('x…'));
  assert.equal(plain({ toString: () => 'x' }), '');
});

test('every failure comes with what to do', () => {
  const of = (status, error, message, after) => advice(new ApiError(status, { error, message }, after));
  assert.match(of(502, 'upstream_provider_error', 'Token refresh failed: x'), /Reconnect/);
  assert.match(of(502, 'upstream_provider_error', 'It failed.'), /It failed\. Try again/);
  assert.match(of(504, 'upstream_timeout', 'Slow.'), /Try again/);
  assert.match(of(403, 'forbidden', 'No.'), /Ask/);
  assert.match(of(404, 'unknown_endpoint', 'None.'), /operator/);
  assert.match(of(429, 'rate_limited', 'Wait.', 7), /7 s/);
  assert.match(advice(new NetworkError()), /try again/);
});
