// The signed-in user, by one of two kinds of token. A pasted one, or that of a link, is kept in
// sessionStorage until the tab is closed. The one of a sign-in at an identity provider is kept in memory:
// the browser's cookie gives another before it ends.

import { createListeners } from '../shared/listeners.js';
import { endServerSession, fetchPageToken } from './page-token.js';

const KEY = 'console.token';
const RETRY = 5000; // ms until the server is asked again for a token that it could not give
const LONGEST_TIMER = 2 ** 31 - 1; // ms; a longer one would fire at once
export const SESSION_ENDED = 'Your session has ended. Sign in again; your drafts are kept.';
const SIGNED_OUT = 'You are signed out.';
const SIGNED_OUT_HERE = 'The server can’t be reached, so you are signed out of this tab only. Sign out again later.';
const SOMEBODY_ELSE = 'Somebody else has signed in with this browser. Reload the page to go on as that user.';

/** @type {Promise<never>} */
const NEVER = new Promise(() => {});

/** @typedef {ReturnType<typeof createSession>} Session */

/**
 * @param {Storage} storage
 * @param {{ask?: typeof fetchPageToken, end?: typeof endServerSession, leave?: (url: string) => void}} [server]
 */
export function createSession(storage, { ask = fetchPageToken, end: endThere = endServerSession, leave = visit } = {}) {
  const listeners = createListeners();
  const tokens = createListeners();
  const signOuts = createListeners();
  const channel = globalThis.BroadcastChannel && new BroadcastChannel('console-session');
  /** @type {Promise<string | null> | null} */
  let asking = null;
  let dueAt = Infinity; // when the token is to be replaced, by Date.now
  /** @type {any} */
  let timer = 0;
  // Another tab may sign out just then: the server has ended the session before that is told here.
  let hasLostShared = false;
  /** @type {string | null} */
  let signedOut = null; // who has signed out in another tab since the server was asked for a token
  const session = {
    token: storage.getItem(KEY),
    /** of the token; '' when nobody is signed in */
    subject: subjectOf(storage.getItem(KEY)),
    /** of the newest token, also when its session has ended */
    lastSubject: subjectOf(storage.getItem(KEY)),
    /** why the last session ended, for the sign-in page */
    reason: '',
    /** whether a newer token follows this one */
    isRenewable: false,
    /** whether the browser has a session at the server, by which this one goes on after a reload */
    isShared: false,
    begin,
    end,
    current,
    renew,
    signOut,
    /** Called when somebody has signed in or out. */
    onChange: listeners.add,
    /** Called when the same user has a newer token. */
    onToken: tokens.add,
    /** Called when the user signs out, here or in another tab, before the session ends if it has not yet. */
    onSignOut: signOuts.add,
  };
  if (channel) channel.onmessage = ({ data }) => hear(data);

  /** @param {string} token that was pasted, or a link's */
  function begin(token) {
    storage.setItem(KEY, token);
    const subject = subjectOf(token);
    Object.assign(session, { token, subject, lastSubject: subject, reason: '', isRenewable: false, isShared: false });
    hasLostShared = false;
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

  /** @param {string} subject of who has signed out in another tab */
  function hear(subject) {
    signedOut = subject;
    if ((session.isShared || hasLostShared) && session.lastSubject === subject) endSignedOut();
  }

  function endSignedOut() {
    signOuts.notify();
    end(SIGNED_OUT);
  }

  /** The token for a request; a promise while it has to be replaced first. */
  function current() {
    return Date.now() < dueAt ? session.token : renew();
  }

  /** Asks for the browser's token: one request at a time. @returns {Promise<string | null>} */
  function renew() {
    asking ??= request().finally(() => (asking = null));
    return asking;
  }

  async function request() {
    const before = session.token;
    signedOut = null;
    try {
      const answer = await ask();
      if (session.token !== before) return session.token; // signed out, or in, meanwhile
      if (answer && subjectOf(answer.token) === signedOut) drop(subjectOf(answer.token));
      else if (answer) keep(answer);
      else end(SESSION_ENDED);
    } catch (error) {
      if (session.token !== before) return session.token;
      if (!before) throw error;
      wait(RETRY); // the provider or the server is away: until its end the old token serves
    }
    return session.token;
  }

  /** A token that the server gave before its user has signed out. @param {string} subject */
  function drop(subject) {
    if (session.token && session.subject !== subject) return end(SESSION_ENDED); // somebody else, whose drafts stay
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
      channel?.postMessage(subject);
      if (elsewhere && !session.token) leave(elsewhere);
    } catch {
      if (!session.token) end(SIGNED_OUT_HERE);
    }
  }

  return session;
}

/**
 * The token for the requests of one page. Once the page is left they wait for ever, because the next user may
 * have signed in; so do those that were waiting for a newer token then.
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

/** @param {string} url of the identity provider, as the server has it */
function visit(url) {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) location.assign(url);
}

/**
 * A pasted token without the header name, "Bearer" and white space that may be copied with it.
 * @param {string} pasted
 */
export function tidyToken(pasted) {
  return pasted.replace(/^\s*(authorization:)?\s*bearer\s+/i, '').replace(/\s+/g, '');
}

/**
 * The subject, for display and for the names of drafts. Only the server verifies the token.
 * @param {string | null} token
 */
export function subjectOf(token) {
  return String(claimsOf(token).sub ?? '');
}

/** @param {string | null} token @returns {number | null} ms until it ends; null if it does not say */
export function timeLeft(token) {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' ? exp * 1000 - Date.now() : null;
}

/**
 * The claims of a token; none of a text that is not a token.
 * @param {string | null} token @returns {Record<string, any>}
 */
export function claimsOf(token) {
  try {
    const payload = (token ?? '').split('.')[1].replace(/-/g, '+').replace(/_/g, '/');
    const bytes = Uint8Array.from(atob(payload), (c) => c.charCodeAt(0));
    return Object(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}
