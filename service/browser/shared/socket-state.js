// The records socket as a pure state machine: an event gives the next state and a list of effects,
// which records-socket.js carries out. Every failure of a connection is handled, and tested, here.

/**
 * @typedef {{collection: string, where?: any, cursor?: string, isPaged?: boolean, isRefused?: boolean}} Subscription
 *   `isPaged`: its receiver reads pages over HTTP, gets no snapshot, and is told of a `resync`; `isRefused`: the server
 *   could not begin the subscription just now, so it is requested again
 * @typedef {'idle' | 'connecting' | 'open' | 'waiting' | 'over'} Phase
 * @typedef {{phase: Phase, attempt: number, subscriptions: Record<string, Subscription>,
 *   pending: readonly string[], isStale?: boolean}} State `isStale`: there is a newer token, which is used as soon as
 *   the pending requests are answered
 * @typedef {{type: 'start' | 'stop' | 'opened' | 'timeout' | 'reconnect' | 'renew' | 'token'}
 *   | {type: 'closed', code: number, random: number}
 *   | {type: 'message', message: any}
 *   | {type: 'subscribe', id: string, collection: string, where?: any, cursor?: string}
 *   | {type: 'unsubscribe' | 'again', id: string}
 *   | {type: 'request', message: {id: string} & Record<string, any>}} Event
 * @typedef {{do: 'connect' | 'disconnect' | 'sign-out'}
 *   | {do: 'wait', ms: number}
 *   | {do: 'send', message: any}
 *   | {do: 'deliver', id: string, message: any}
 *   | {do: 'try-again', id: string, ms: number}
 *   | {do: 'answer', id: string, message: any}} Effect
 * @typedef {[State, Effect[]]} Step
 */

const SERVER_RESTARTS = 1012;
const SESSION_OVER = 4401;
export const UNAVAILABLE = 'unavailable';
const AGAIN = 5000; // ms at least; the server gives the same time for requests that it can't serve
const CONNECTION_LOST = {
  type: 'error',
  error: 'connection_lost',
  message: 'The connection was lost before the server answered. Check whether it was saved.',
};

const FIRST_WAIT = 1000; // ms
const LONGEST_WAIT = 30_000;

/** @type {State} */
export const NOT_STARTED = { phase: 'idle', attempt: 0, subscriptions: {}, pending: [] };

/** @param {State} state @param {Event} event @returns {Step} */
export function advance(state, event) {
  switch (event.type) {
    case 'start':
      return state.phase === 'idle' ? connect(state) : [state, []];
    case 'timeout':
    case 'reconnect':
      return state.phase === 'waiting' ? connect(state) : [state, []];
    case 'renew':
      return renew(state);
    case 'token':
      return useToken(state);
    case 'stop':
      return [{ ...NOT_STARTED, phase: 'over' }, [{ do: 'disconnect' }, ...failPending(state)]];
    case 'opened':
      return handleOpened(state);
    case 'closed':
      return handleClosed(state, event);
    case 'message':
      return handleMessage(state, event.message);
    case 'subscribe':
      return addSubscription(state, event);
    case 'unsubscribe':
      return removeSubscription(state, event.id);
    case 'again':
      return askAgain(state, event.id);
    case 'request':
      return [{ ...state, pending: [...state.pending, event.message.id] }, [send(event.message)]];
  }
}

/** Connects with the newest token. @param {State} state @returns {Step} */
function connect(state) {
  return [{ ...state, phase: 'connecting', isStale: false }, [{ do: 'connect' }]];
}

/**
 * Replaces a connection that may be dead: after the network was away, messages may stop without any sign that the
 * connection is broken.
 * @param {State} state @returns {Step}
 */
function renew(state) {
  if (state.phase === 'waiting') return connect(state);
  if (state.phase !== 'open') return [state, []];
  const [next, effects] = connect({ ...state, pending: [] });
  return [next, [...failPending(state), { do: 'disconnect' }, ...effects]];
}

/**
 * Connects with a newer token before the old one ends. Pending requests are answered first.
 * @param {State} state @returns {Step}
 */
function useToken(state) {
  const mustWait = state.phase === 'connecting' || (state.phase === 'open' && state.pending.length > 0);
  if (mustWait) return [{ ...state, isStale: true }, []];
  return state.phase === 'over' ? connect(state) : renew(state);
}

/** @param {State} state @returns {Step} every subscription resumes from its cursor */
function handleOpened(state) {
  if (state.isStale) return renew({ ...state, phase: 'open' });
  const all = Object.entries(state.subscriptions);
  const subscriptions = Object.fromEntries(all.map(([id, subscription]) => [id, { ...subscription, isRefused: false }]));
  return [{ ...state, phase: 'open', subscriptions }, all.map(([id, subscription]) => subscribe(id, subscription))];
}

/** Requests a refused subscription again, unless a new connection has already done so. @param {State} state @param {string} id @returns {Step} */
function askAgain(state, id) {
  const subscription = state.subscriptions[id];
  if (state.phase !== 'open' || !subscription?.isRefused) return [state, []];
  return [withSubscription(state, id, { ...subscription, isRefused: false }), [subscribe(id, subscription)]];
}

/** @param {State} state @param {{code: number, random: number}} event @returns {Step} */
function handleClosed(state, { code, random }) {
  if (state.phase === 'over') return [state, []];
  const answers = failPending(state);
  if (code === SESSION_OVER && state.isStale) {
    const [next, effects] = connect({ ...state, pending: [] });
    return [next, [...answers, ...effects]];
  }
  if (code === SESSION_OVER) {
    return [{ ...state, phase: 'over', pending: [] }, [...answers, { do: 'sign-out' }]];
  }
  // After a restart another worker is ready at once. If not, the next attempt waits as usual.
  const ms = code === SERVER_RESTARTS && state.phase === 'open' ? 0 : wait(state.attempt, random);
  const attempt = state.attempt + 1;
  return [{ ...state, phase: 'waiting', pending: [], attempt }, [...answers, { do: 'wait', ms }]];
}

/**
 * The delay before a reconnect, in milliseconds: a random value in the upper half of a span that doubles with each
 * attempt, so that clients that lost the connection together do not reconnect together.
 * @param {number} attempt @param {number} random 0 to 1
 */
export function wait(attempt, random) {
  const span = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 20));
  return Math.round(span * (0.5 + random / 2));
}

/** @param {State} state @returns {Effect[]} */
function failPending(state) {
  return state.pending.map((id) => ({ do: 'answer', id, message: { ...CONNECTION_LOST, id } }));
}

/** @param {State} state @param {any} message @returns {Step} */
function handleMessage(state, message) {
  // Only a message proves that the connection works: some proxies open it and then drop it.
  const resetState = { ...state, attempt: 0 };
  const { id, type } = message;
  if (state.pending.includes(id)) {
    const pending = state.pending.filter((other) => other !== id);
    /** @type {Step} */
    const answered = [{ ...resetState, pending, isStale: false }, []];
    const [next, effects] = state.isStale ? useToken(answered[0]) : answered;
    return [next, [{ do: 'answer', id, message }, ...effects]];
  }
  const subscription = state.subscriptions[id];
  if (!subscription) return [resetState, []]; // for a subscription that has just ended
  if (type === 'error' && message.error === UNAVAILABLE) {
    const effects = [/** @type {Effect} */ ({ do: 'deliver', id, message }), /** @type {Effect} */ ({ do: 'try-again', id, ms: AGAIN })];
    return [withSubscription(resetState, id, { ...subscription, isRefused: true }), effects];
  }
  if (type === 'resync' && subscription.isPaged) return [resetState, [{ do: 'deliver', id, message }]];
  if (type === 'resync') {
    const { cursor, ...withoutCursor } = subscription;
    return [withSubscription(resetState, id, withoutCursor), [subscribe(id, withoutCursor)]];
  }
  const updated = message.cursor === undefined ? subscription : { ...subscription, cursor: message.cursor };
  return [withSubscription(resetState, id, updated), [{ do: 'deliver', id, message }]];
}

/**
 * Adds a subscription; with a cursor, it begins at the cursor.
 * @param {State} state @param {{id: string, collection: string, where?: any, cursor?: string}} event @returns {Step}
 */
function addSubscription(state, { id, collection, where, cursor }) {
  /** @type {Subscription} */
  const subscription = where === undefined ? { collection } : { collection, where };
  if (cursor !== undefined) Object.assign(subscription, { cursor, isPaged: true });
  const effects = state.phase === 'open' ? [subscribe(id, subscription)] : [];
  return [withSubscription(state, id, subscription), effects];
}

/** @param {State} state @param {string} id @returns {Step} */
function removeSubscription(state, id) {
  const { [id]: removed, ...subscriptions } = state.subscriptions;
  const effects = removed && state.phase === 'open' ? [send({ op: 'unsubscribe', id })] : [];
  return [{ ...state, subscriptions }, effects];
}

/** @param {State} state @param {string} id @param {Subscription} subscription @returns {State} */
function withSubscription(state, id, subscription) {
  return { ...state, subscriptions: { ...state.subscriptions, [id]: subscription } };
}

/** @param {string} id @param {Subscription} subscription @returns {Effect} */
function subscribe(id, { isPaged, isRefused, ...subscription }) {
  return send({ op: 'subscribe', id, ...subscription });
}

/** @param {any} message @returns {Effect} */
function send(message) {
  return { do: 'send', message };
}
