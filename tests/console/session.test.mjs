// The session of the page: tokens that are replaced before they end.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';

import { createPageTokens, createSession } from '../../service/browser/page/session.js';

/** @param {string} sub @param {number} number that makes it another token */
function tokenOf(sub, number = 0) {
  return `h.${btoa(JSON.stringify({ sub, number }))}.s`;
}

function memory() {
  const map = new Map();
  return { getItem: (k) => map.get(k) ?? null, setItem: (k, v) => map.set(k, v), removeItem: (k) => map.delete(k) };
}

/** @param {any[]} answers each a token, an error, or null */
function start(answers) {
  const asked = [];
  const ask = async () => {
    asked.push(1);
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer && { token: answer, refreshIn: 60 };
  };
  const said = [];
  const session = createSession(memory(), { ask, end: async () => null, leave: () => {} });
  session.onChange(() => said.push(session.token ? 'in' : `out: ${session.reason}`));
  session.onToken(() => said.push('newer token'));
  return { session, asked, said };
}

beforeEach(() => {
  globalThis.BroadcastChannel = undefined;
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
});
afterEach(() => mock.timers.reset());

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('a token of the server is replaced before it ends, and nothing is signed out for it', async () => {
  const { session, said } = start([tokenOf('ada'), tokenOf('ada', 1)]);
  await session.renew();
  assert.equal(session.current(), tokenOf('ada'));
  mock.timers.tick(60_000);
  await settle();
  assert.equal(session.current(), tokenOf('ada', 1));
  assert.deepEqual(said, ['in', 'newer token']);
});

test('a request of a page that was left meanwhile is not sent with the token of the next user', async () => {
  const { session } = start([tokenOf('ada'), tokenOf('ada', 1)]);
  await session.renew();
  const tokens = createPageTokens(session);
  mock.timers.setTime(61_000);
  const given = [];
  tokens.current().then((token) => given.push(token));
  session.end();
  tokens.stop();
  session.begin(tokenOf('bob'));
  tokens.current().then((token) => given.push(token));
  await settle();
  assert.deepEqual(given, []);
});

test('requests wait for a newer token once it is due, and share one question', async () => {
  const { session, asked } = start([tokenOf('ada'), tokenOf('ada', 1)]);
  await session.renew();
  mock.timers.setTime(61_000); // a laptop that slept: no timer has fired
  const both = await Promise.all([session.current(), session.current()]);
  assert.deepEqual(both, [tokenOf('ada', 1), tokenOf('ada', 1)]);
  assert.equal(asked.length, 2);
});

test('while the server is away the old token serves, and it is asked again', async () => {
  const { session, said } = start([tokenOf('ada'), new Error('away'), tokenOf('ada', 1)]);
  await session.renew();
  mock.timers.tick(60_000);
  await settle();
  assert.equal(session.token, tokenOf('ada'));
  mock.timers.tick(5000);
  await settle();
  assert.deepEqual([session.token, said], [tokenOf('ada', 1), ['in', 'newer token']]);
});

test('a session that has ended at the server ends here', async () => {
  const { session, said } = start([tokenOf('ada'), null]);
  await session.renew();
  mock.timers.tick(60_000);
  await settle();
  assert.equal(session.token, null);
  assert.match(said[1], /^out: Your session has ended/);
});

test('an ended session, whose cookie stays in the browser, is reported by one load of the page until the next sign-in', async () => {
  const lasting = memory();
  let given = null;
  const load = async () => {
    const session = createSession(memory(), { ask: async () => given, end: async () => null, leave() {}, lasting });
    await session.renew();
    return session;
  };
  const reasons = [(await load()).reason, (await load()).reason];
  given = { token: tokenOf('ada'), refreshIn: 60 };
  const shown = await load();
  given = null;
  await shown.renew();
  reasons.push(shown.reason, (await load()).reason);
  shown.begin(tokenOf('ada'));
  shown.end();
  reasons.push((await load()).reason);
  assert.deepEqual(reasons.map((reason) => /has ended/.test(reason)), [true, false, true, false, true]);
});

test('why a sign-in has failed is shown also to a user whose browser has the cookie of an ended session', async () => {
  const lasting = memory();
  for (const isReported of [false, true]) {
    if (isReported) lasting.setItem('console.end-reported', 'yes');
    const session = createSession(memory(), { ask: async () => null, end: async () => null, leave() {}, lasting });
    session.reason = 'The sign-in was refused.'; // as the address of the page says
    await session.renew();
    assert.equal(session.reason, 'The sign-in was refused.');
  }
});

test('the token of somebody else is not used in this tab', async () => {
  const { session, said } = start([tokenOf('ada'), tokenOf('eve')]);
  await session.renew();
  mock.timers.tick(60_000);
  await settle();
  assert.equal(session.token, null);
  assert.match(said[1], /^out: Somebody else/);
});

test('a pasted token is not replaced', async () => {
  const { session, asked } = start([tokenOf('ada')]);
  session.begin(tokenOf('bob'));
  mock.timers.tick(3_600_000);
  await settle();
  assert.deepEqual([session.current(), session.subject, asked.length], [tokenOf('bob'), 'bob', 0]);
});

/** Tells every other one of the same page at once. */
class Channel {
  static all = [];
  constructor() {
    Channel.all.push(this);
  }
  postMessage(data) {
    for (const other of Channel.all) if (other !== this) other.onmessage?.({ data });
  }
}

/** Three tabs of ada's, whose last one asks in vain for a newer token; and who was told where that she has signed out. */
async function threeTabs() {
  Channel.all = [];
  globalThis.BroadcastChannel = Channel;
  const tabs = [start([tokenOf('ada')]), start([tokenOf('ada')]), start([tokenOf('ada'), null])];
  const told = [];
  for (const [at, { session }] of tabs.entries()) {
    session.onSignOut(() => told.push([at, session.lastSubject]));
    await session.renew();
  }
  return { tabs: tabs.map(({ session }) => session), told };
}

test('signing out is told in every tab, and the end of a session is not', async () => {
  const { tabs, told } = await threeTabs();
  await tabs[2].renew();
  assert.deepEqual(told, []);
  await tabs[0].signOut();
  assert.deepEqual(told, [[0, 'ada'], [1, 'ada'], [2, 'ada']]);
});

test('a tab that the server has told first is signed out all the same', async () => {
  const { tabs } = await threeTabs();
  await tabs[2].renew();
  tabs[2].end(tabs[2].reason); // by a request that was refused too
  await tabs[0].signOut();
  assert.equal(tabs[2].reason, tabs[1].reason);
  assert.equal(tabs[2].reason, 'You are signed out.');
});

test('signing out says nothing to a tab with a token of its own', async () => {
  const { tabs, told } = await threeTabs();
  await tabs[2].renew();
  tabs[2].begin(tokenOf('bob'));
  await tabs[0].signOut();
  assert.deepEqual(told, [[0, 'ada'], [1, 'ada']]);
  assert.equal(tabs[2].subject, 'bob');
});

test('a user who signs out leaves the drafts of another one whose session has ended', async () => {
  const { tabs, told } = await threeTabs();
  await tabs[2].renew();
  const { session } = start([tokenOf('bob')]);
  await session.renew();
  await session.signOut();
  assert.deepEqual(told, []);
  assert.match(tabs[2].reason, /drafts are kept/);
});

test('a tab that is loaded while its user signs out in another one stays signed out', async () => {
  const { tabs } = await threeTabs();
  let resolve;
  const promise = new Promise((given) => (resolve = given));
  const session = createSession(memory(), { ask: () => promise, end: async () => null, leave: () => {} });
  const said = [];
  session.onChange(() => said.push(session.token));
  session.onSignOut(() => said.push(session.lastSubject));
  const loading = session.renew();
  await tabs[0].signOut();
  resolve({ token: tokenOf('ada'), refreshIn: 60 }); // given before the session was ended
  await loading;
  assert.deepEqual([said, session.reason], [['ada', null], 'You are signed out.']);
});

test('a tab whose browser has had another user meanwhile keeps the drafts of its own', async () => {
  const { tabs } = await threeTabs();
  const answers = [Promise.resolve({ token: tokenOf('bob'), refreshIn: 60 })];
  const session = createSession(memory(), { ask: () => answers.shift(), end: async () => null, leave: () => {} });
  const said = [];
  await session.renew();
  session.onSignOut(() => said.push(session.lastSubject));
  let resolve;
  answers.push(new Promise((given) => (resolve = given)));
  const asking = session.renew();
  await tabs[0].signOut();
  resolve({ token: tokenOf('ada'), refreshIn: 60 });
  await asking;
  assert.deepEqual([said, session.lastSubject, session.token], [[], 'bob', null]);
  assert.match(session.reason, /drafts are kept/);
});

test('a newer token that can not be had does not bring back a session that was ended meanwhile', async () => {
  for (const next of [null, tokenOf('bob')]) {
    const answers = [async () => ({ token: tokenOf('ada'), refreshIn: 60 })];
    const session = createSession(memory(), { ask: () => answers.shift()(), end: async () => null, leave: () => {} });
    await session.renew();
    let lose;
    answers.push(() => new Promise((_, reject) => (lose = reject)));
    answers.push(async () => ({ token: tokenOf('ada', 1), refreshIn: 60 })); // the browser has a session still
    const asking = session.renew();
    session.end();
    if (next) session.begin(next);
    lose(new Error('away'));
    await asking;
    mock.timers.tick(3_600_000);
    await settle();
    assert.deepEqual([session.token, answers.length], [next, 1]);
  }
});

test('a pasted token is kept in the tab until it is signed out, and one of the server never', async () => {
  const storage = memory();
  const server = { ask: async () => ({ token: tokenOf('ada'), refreshIn: null }), end: () => assert.fail('no session there'), leave() {} };
  const session = createSession(storage, server);
  session.begin(tokenOf('bob'));
  assert.deepEqual([storage.getItem('console.token'), createSession(storage, server).subject], [tokenOf('bob'), 'bob']);
  await session.signOut();
  assert.deepEqual([session.token, session.subject, session.reason, storage.getItem('console.token')], [null, '', 'You are signed out.', null]);
  await session.renew();
  assert.deepEqual([session.subject, session.isRenewable, storage.getItem('console.token')], ['ada', false, null]);
  mock.timers.tick(3_600_000);
  assert.equal(session.current(), tokenOf('ada'), 'it never ends');
});

test('a token that comes after its user has signed out here is not taken', async () => {
  let give;
  const answers = [Promise.resolve({ token: tokenOf('ada'), refreshIn: 60 }), new Promise((resolve) => (give = resolve))];
  const session = createSession(memory(), { ask: () => answers.shift(), end: async () => null, leave() {} });
  await session.renew();
  const asking = session.renew();
  await session.signOut();
  give({ token: tokenOf('ada', 1), refreshIn: 60 });
  assert.deepEqual([await asking, session.token], [null, null]);
});

test('who signs out leaves the provider too, and without the server only the tab', async () => {
  const ends = [async () => 'https://provider.invalid/out', async () => null, async () => { throw new Error('away'); }];
  const [left, reasons] = [[], []];
  for (const end of ends) {
    const session = createSession(memory(), { ask: async () => ({ token: tokenOf('ada'), refreshIn: 60 }), end, leave: (url) => left.push(url) });
    await session.renew();
    await session.signOut();
    assert.equal(session.token, null);
    reasons.push(session.reason);
  }
  assert.deepEqual(left, ['https://provider.invalid/out']);
  assert.deepEqual(reasons.map((reason) => /this tab only/.test(reason)), [false, false, true]);
});

test('who signs out is signed out here before the server answers, and whoever signs in then stays', async () => {
  const left = [];
  for (const next of [null, tokenOf('bob')]) {
    for (const isAway of [false, true]) {
      let answer;
      const end = () => new Promise((resolve, reject) => (answer = () => (isAway ? reject(new Error('away')) : resolve('https://provider.invalid/out'))));
      const session = createSession(memory(), { ask: async () => ({ token: tokenOf('ada'), refreshIn: 60 }), end, leave: () => left.push(next) });
      await session.renew();
      const signingOut = session.signOut();
      assert.deepEqual([session.token, session.reason], [null, 'You are signed out.']);
      if (next) session.begin(next);
      answer();
      await signingOut;
      assert.equal(session.token, next);
    }
  }
  assert.deepEqual(left, [null]);
});

test('a token of the same user that was pasted is no part of the session that another tab ends', async () => {
  const { tabs, told } = await threeTabs();
  await tabs[2].renew();
  tabs[2].begin(tokenOf('ada', 5));
  await tabs[0].signOut();
  assert.deepEqual([told, tabs[2].subject], [[[0, 'ada'], [1, 'ada']], 'ada']);
});

test('a token that is to be replaced in months is not asked for again at once', async () => {
  let asked = 0;
  const ask = async () => ((asked += 1), { token: tokenOf('ada'), refreshIn: 90 * 86_400 });
  const session = createSession(memory(), { ask, end: async () => null, leave() {} });
  await session.renew();
  mock.timers.tick(60_000);
  await settle();
  assert.equal(asked, 1);
  mock.timers.setTime(91 * 86_400_000);
  await session.current();
  assert.equal(asked, 2);
});

test('a full storage keeps nobody from signing in, and brings no older token back', () => {
  const storage = memory();
  storage.setItem('console.token', tokenOf('ada'));
  storage.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
  const session = createSession(storage, { ask: async () => null, end: async () => null, leave() {} });
  session.begin(tokenOf('bob'));
  assert.deepEqual([session.token, session.subject, storage.getItem('console.token')], [tokenOf('bob'), 'bob', null]);
});
