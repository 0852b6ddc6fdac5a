// The signed-in user, identified by one of two kinds of token. A token that was pasted or came in a link is kept in
// sessionStorage until the tab is closed. A token from a sign-in at an identity provider is kept in memory: before it
// ends, the page gets another one with the session cookie.

import { createListeners } from '../shared/listeners.js';
import { openChannel, storageOf, storeIfPossible } from '../shared/site-data.js';
import { claimsOf, subjectOf } from '../shared/token-claims.js';
import { endServerSession, fetchPageToken } from './page-token.js';

const KEY = 'console.token';
const REPORTED = 'console.end-reported';
const RETRY = 5000; // ms until the next try, after the server could not give a token
const LONGEST_TIMER = 2 ** 31 - 1; // ms; a longer one would fire at once
export const SESSION_ENDED = 'Your session has ended. Sign in again; your drafts are kept.';
const SIGNED_OUT = 'You are signed out.';
const SIGNED_OUT_HERE = 'The server can’t be reached, so you are signed out of this tab only. Sign out again later.';
const SOMEBODY_ELSE = 'Somebody else has signed in with this browser. Reload the page to go on as that user.';

/** @type {Promise<never>} */
const NEVER = new Promise(() => {});

/** @typedef {ReturnType<typeof createSession>} Session */

/**
 * @param {Storage} storage of the tab
 * @param {object} [options]
 * @param {typeof fetchPageToken} [options.ask]
 * @param {typeof endServerSession} [options.end]
 * @param {(url: string) => void} [options.leave]
 * @param {Storage} [options.lasting] of the browser
 */
export function createSession(storage, { ask = fetchPageToken, end: endThere = endServerSession, leave = visit, ...options } = {}) {
  const lasting = options.lasting ?? storageOf(() => localStorage);
  const listeners = createListeners();
  const tokens = createListeners();
  const signOuts = createListeners();
  const channel = openChannel('console-session');
  /** @type {Promise<string | null> | null} */
  let renewal = null;
  let dueAt = Infinity; // when the token must be replaced, in the time of Date.now
  /** @type {any} */
  let timer = 0;
  // Whether a shared session has ended here. Another tab may be signing out: the server ends the session before this
  // tab is told about the sign-out.
  let hasLostShared = false;
  /** @type {string | null} */
  let signedOut = null; // the user who has signed out in another tab since this tab last requested a token
  const session = {
    token: storage.getItem(KEY),
    /** the subject of the token; '' when nobody is signed in */
    subject: subjectOf(storage.getItem(KEY)),
    /** the subject of the newest token, even after its session has ended */
    lastSubject: subjectOf(storage.getItem(KEY)),
    /** why the last session ended, for the sign-in page */
    reason: '',
    /** whether the token can be replaced by a newer one */
    isRenewable: false,
    /** whether the browser has a session at the server, so that the user stays signed in after a reload */
    isShared: false,
    begin,
    end,
    current,
    renew,
    signOut,
    /** Adds a listener for sign-ins and sign-outs. */
    onChange: listeners.add,
    /** Adds a listener for newer tokens of the same user. */
    onToken: tokens.add,
    /** Adds a listener for sign-outs, here or in another tab. It is called before the session ends here. */
    onSignOut: signOuts.add,
  };
  channel.onmessage = ({ data }) => hear(data);

  /** @param {string} token that was pasted or came in a link */
  function begin(token) {
    storeIfPossible(storage, KEY, token); // if the storage is full, the user is signed in until the page is left
    const subject = subjectOf(token);
    Object.assign(session, { token, subject, lastSubject: subject, reason: '', isRenewable: false, isShared: false });
    hasLostShared = false;
    lasting.removeItem(REPORTED);
    listeners.notify();
  }

  function end(reason = '') {
    clearTimeout(timer);
    storage.removeItem(KEY);
    dueAt = Infinity;
    hasLostShared = reason === SESSION_ENDED && (session.isShared || hasLostShared);
    Object.assign(session, { token: null, subject: '', reason, isRenewable: false, isShared: false });
    listeners.notify();
  }

  /** @param {string} subject the user who has signed out in another tab */
  function hear(subject) {
    signedOut = subject;
    if ((session.isShared || hasLostShared) && session.lastSubject === subject) endSignedOut();
  }

  function endSignedOut() {
    signOuts.notify();
    end(SIGNED_OUT);
  }

  /** The token for a request; a promise if the token must be replaced first. */
  function current() {
    return Date.now() < dueAt ? session.token : renew();
  }

  /** Requests a newer token, with one request at a time. @returns {Promise<string | null>} */
  function renew() {
    renewal ??= request().finally(() => (renewal = null));
    return renewal;
  }

  async function request() {
    const before = session.token;
    signedOut = null;
    try {
      const answer = await ask();
      if (session.token !== before) return session.token; // the user has signed out or in during the request
      if (answer && subjectOf(answer.token) === signedOut) drop(subjectOf(answer.token));
      else if (answer) keep(answer);
      else end(endingReason());
    } catch (error) {
      if (session.token !== before) return session.token;
      if (!before) throw error;
      wait(RETRY); // the provider or the server is not available: the old token is used until it ends
    }
    return session.token;
  }

  /**
   * Why the session has ended. A load of the page doesn't repeat what the browser has shown already: the browser keeps
   * the cookie of an ended session until the next sign-in. If that sign-in has failed, the page shows why.
   */
  function endingReason() {
    if (!session.token && (session.reason || lasting.getItem(REPORTED))) return session.reason;
    storeIfPossible(lasting, REPORTED, 'yes');
    return SESSION_ENDED;
  }

  /** Drops a token that the server gave before its user signed out. @param {string} subject */
  function drop(subject) {
    if (session.token && session.subject !== subject) return end(SESSION_ENDED); // this page has another user, whose drafts stay
    session.lastSubject = subject;
    endSignedOut();
  }

  /** @param {import('./page-token.js').PageToken} answer */
  function keep({ token, refreshIn }) {
    const subject = subjectOf(token);
    if (session.token && session.subject !== subject) return end(SOMEBODY_ELSE);
    const isNew = token !== session.token;
    const wasOut = session.token === null;
    const isRenewable = refreshIn !== null;
    Object.assign(session, { token, subject, lastSubject: subject, reason: '', isRenewable, isShared: true });
    hasLostShared = false;
    lasting.removeItem(REPORTED);
    if (refreshIn !== null) wait(refreshIn * 1000);
    if (wasOut) listeners.notify();
    else if (isNew) tokens.notify();
  }

  /** @param {number} ms */
  function wait(ms) {
    clearTimeout(timer);
    dueAt = Date.now() + ms;
    if (ms <= LONGEST_TIMER) timer = setTimeout(renew, ms);
  }

  /** The session ends in this page first, because the server may take long to answer. */
  async function signOut() {
    const { subject, isShared } = session;
    endSignedOut();
    if (!isShared) return;
    try {
      const elsewhere = await endThere();
      channel.postMessage(subject);
      if (elsewhere && !session.token) leave(elsewhere);
    } catch {
      if (!session.token) end(SIGNED_OUT_HERE);
    }
  }

  return session;
}

/**
 * The token for the requests of one page. When the page is left, requests that wait for a token wait forever, because
 * the next user may have signed in.
 * @param {Session} session
 */
export function createPageTokens(session) {
  let hasStopped = false;
  /** @param {string | null} token @returns {string | null | Promise<never>} */
  const unlessStopped = (token) => (hasStopped ? NEVER : token);

  return {
    /** @returns {string | null | Promise<string | null>} */
    current() {
      const given = hasStopped ? NEVER : session.current();
      return given instanceof Promise ? given.then(unlessStopped) : given;
    },
    stop: () => void (hasStopped = true),
  };
}

/** @param {string} url of the identity provider, as the server returned it */
function visit(url) {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) location.assign(url);
}

/**
 * The role that an operator has set, or else the role in the token. The console shows what the role allows; only the
 * server enforces it.
 * @param {import('../shared/api-transport.js').Transport} transport
 * @param {{token: string | null, subject: string}} session
 * @returns {Promise<string>} '' if the role can't be read now
 */
export async function readRole(transport, { token, subject }) {
  try {
    const { data } = await transport.get(`/api/records/users/${encodeURIComponent(subject)}`);
    return data.role ?? String(claimsOf(token).role ?? 'user');
  } catch {
    return '';
  }
}
