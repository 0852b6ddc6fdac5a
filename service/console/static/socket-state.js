// The records socket as a pure machine: an event in, the next state and what to do out. The thin
// records-socket.js does it. All that can go wrong with a connection is decided, and tested, here.

/**
 * @typedef {{collection: string, where?: any, cursor?: string}} Subscription
 * @typedef {'idle' | 'connecting' | 'open' | 'waiting' | 'over'} Phase
 * @typedef {{phase: Phase, attempt: number, subscriptions: Record<string, Subscription>,
 *   asked: readonly string[]}} State
 * @typedef {{type: 'start' | 'stop' | 'opened' | 'waited' | 'hurry'}
 *   | {type: 'closed', code: number, random: number}
 *   | {type: 'message', message: any}
 *   | {type: 'subscribe', id: string, collection: string, where?: any}
 *   | {type: 'unsubscribe', id: string}
 *   | {type: 'ask', message: {id: string} & Record<string, any>}} Event
 * @typedef {{do: 'connect' | 'disconnect' | 'sign-out'}
 *   | {do: 'wait', ms: number}
 *   | {do: 'send', message: any}
 *   | {do: 'deliver', id: string, message: any}
 *   | {do: 'answer', id: string, message: any}} Effect
 * @typedef {[State, Effect[]]} Step
 */

export const SERVER_RESTARTS = 1012;
export const SESSION_OVER = 4401;
export const LOST = {
  type: 'error',
  error: 'connection_lost',
  message: 'The connection was lost before the server answered. Look whether it was saved.',
};

const FIRST_WAIT = 1000; // ms
const LONGEST_WAIT = 30_000;

/** @type {State} */
export const NOT_STARTED = { phase: 'idle', attempt: 0, subscriptions: {}, asked: [] };

/** @param {State} state @param {Event} event @returns {Step} */
export function advance(state, event) {
  switch (event.type) {
    case 'start':
      return state.phase === 'idle' ? connect(state) : [state, []];
    case 'waited':
    case 'hurry':
      return state.phase === 'waiting' ? connect(state) : [state, []];
    case 'stop':
      return [{ ...NOT_STARTED, phase: 'over' }, [{ do: 'disconnect' }, ...lost(state)]];
    case 'opened':
      return opened(state);
    case 'closed':
      return closed(state, event);
    case 'message':
      return received(state, event.message);
    case 'subscribe':
      return subscribed(state, event);
    case 'unsubscribe':
      return unsubscribed(state, event.id);
    case 'ask':
      return [{ ...state, asked: [...state.asked, event.message.id] }, [send(event.message)]];
  }
}

/** @param {State} state @returns {Step} */
function connect(state) {
  return [{ ...state, phase: 'connecting' }, [{ do: 'connect' }]];
}

/** @param {State} state @returns {Step} every subscription goes on from where it was */
function opened(state) {
  const all = Object.entries(state.subscriptions);
  return [{ ...state, phase: 'open' }, all.map(([id, wanted]) => subscribe(id, wanted))];
}

/** @param {State} state @param {{code: number, random: number}} event @returns {Step} */
function closed(state, { code, random }) {
  if (state.phase === 'over') return [state, []];
  const answers = lost(state);
  if (code === SESSION_OVER) {
    return [{ ...state, phase: 'over', asked: [] }, [...answers, { do: 'sign-out' }]];
  }
  // Another worker takes over at once; if it does not, the next try waits like any other.
  const ms = code === SERVER_RESTARTS && state.phase === 'open' ? 0 : wait(state.attempt, random);
  const attempt = state.attempt + 1;
  return [{ ...state, phase: 'waiting', asked: [], attempt }, [...answers, { do: 'wait', ms }]];
}

/**
 * Between half and the whole of a span that doubles: clients that were cut off together must not
 * come back together.
 * @param {number} attempt @param {number} random 0 to 1
 */
export function wait(attempt, random) {
  const span = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(attempt, 20));
  return Math.round(span * (0.5 + random / 2));
}

/** @param {State} state @returns {Effect[]} */
function lost(state) {
  return state.asked.map((id) => ({ do: 'answer', id, message: { ...LOST, id } }));
}

/** @param {State} state @param {any} message @returns {Step} */
function received(state, message) {
  // Only now is the connection known to carry anything: some proxies open it and then drop it.
  const heard = { ...state, attempt: 0 };
  const { id, type } = message;
  if (state.asked.includes(id)) {
    const asked = state.asked.filter((other) => other !== id);
    return [{ ...heard, asked }, [{ do: 'answer', id, message }]];
  }
  const wanted = state.subscriptions[id];
  if (!wanted) return [heard, []]; // of a subscription that has just been ended
  if (type === 'resync') {
    const { cursor, ...afresh } = wanted;
    return [withSubscription(heard, id, afresh), [subscribe(id, afresh)]];
  }
  const known = message.cursor === undefined ? wanted : { ...wanted, cursor: message.cursor };
  return [withSubscription(heard, id, known), [{ do: 'deliver', id, message }]];
}

/** @param {State} state @param {{id: string, collection: string, where?: any}} event @returns {Step} */
function subscribed(state, { id, collection, where }) {
  const wanted = where === undefined ? { collection } : { collection, where };
  const effects = state.phase === 'open' ? [subscribe(id, wanted)] : [];
  return [withSubscription(state, id, wanted), effects];
}

/** @param {State} state @param {string} id @returns {Step} */
function unsubscribed(state, id) {
  const { [id]: gone, ...subscriptions } = state.subscriptions;
  const effects = gone && state.phase === 'open' ? [send({ op: 'unsubscribe', id })] : [];
  return [{ ...state, subscriptions }, effects];
}

/** @param {State} state @param {string} id @param {Subscription} wanted @returns {State} */
function withSubscription(state, id, wanted) {
  return { ...state, subscriptions: { ...state.subscriptions, [id]: wanted } };
}

/** @param {string} id @param {Subscription} wanted @returns {Effect} */
function subscribe(id, wanted) {
  return send({ op: 'subscribe', id, ...wanted });
}

/** @param {any} message @returns {Effect} */
function send(message) {
  return { do: 'send', message };
}
