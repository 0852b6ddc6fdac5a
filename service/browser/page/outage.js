// One notice for the whole page: the server can't be reached, or live updates are off.

import { element } from '../shared/elements.js';
import { onWake } from '../shared/page-clock.js';

/** @typedef {'none' | 'offline' | 'not-live'} Outage */

const RETRY = 5000; // ms until the next request, while the server can't be reached but the socket is open
const WORDS = {
  none: ['', ''],
  offline: ['The server can’t be reached.', 'What you see may be out of date. The page keeps trying to connect.'],
  'not-live': ['Live updates are off.', 'Lists reload after each reply.'],
};

/** @param {{retry: () => void, leave: () => void}} options `leave` moves the focus away when the notice ends while its button has the focus */
export function createOutageNotice({ retry, leave }) {
  const text = element('span', {});
  const more = element('span', { class: 'more' });
  const button = element('button', { type: 'button', class: 'quiet', on: { click: retry } }, 'Try now');
  /** @type {Outage} */
  let shown = 'none';
  const node = element('p', { class: 'notice', role: 'status', hidden: true }, text, more, button);
  return {
    node,
    /** @param {Outage} outage */
    show(outage) {
      if (outage === shown) return; // screen readers read out each change of the text
      shown = outage;
      [text.textContent, more.textContent] = WORDS[outage];
      button.textContent = outage === 'offline' ? 'Try now' : 'Reload lists';
      const hadFocus = document.activeElement === button;
      node.hidden = outage === 'none';
      if (node.hidden && hadFocus) leave();
    },
  };
}

/**
 * Watches whether the server can be reached and whether live updates come, and reconnects as soon as this may succeed.
 * @param {object} options
 * @param {import('../shared/records-socket.js').RecordsSocket} options.socket
 * @param {(outage: Outage, isLive: boolean) => void} options.show
 * @param {() => void} options.request sends a request whose answer shows whether the server can be reached
 * @param {() => void} options.onLost called while the socket has no connection: the server may be restarted
 */
export function createOutageWatch({ socket, show, request, onLost }) {
  let isReachable = true;
  let isWaiting = false; // whether the socket has lost its connection
  /** @type {any} */
  let timer = 0;
  const removePhaseListener = socket.onPhase(showPhase);
  window.addEventListener('online', socket.renew);
  document.addEventListener('visibilitychange', reconnectNow);
  const stopWatchingSleep = onWake(socket.renew); // the server has ended the connection meanwhile, and a socket that only receives does not notice it
  update();

  function showPhase() {
    const isOpen = socket.phase === 'open';
    const before = isWaiting;
    // It is still waiting while the socket tries to connect; the first connection does not count as lost.
    isWaiting = !isOpen && (isWaiting || socket.phase === 'waiting');
    if (isOpen) isReachable = true;
    update();
    if (isWaiting) onLost();
    if (before !== isWaiting) request();
  }

  function update() {
    const isLive = isReachable && socket.phase === 'open'; // a browser without a network may keep the socket for a minute
    if (!isReachable) show('offline', isLive);
    else show(isWaiting ? 'not-live' : 'none', isLive);
  }

  /** Finds out whether the server can be reached again. A socket that has lost its connection finds it out itself. */
  function retry() {
    if (!isReachable && socket.phase === 'open') request();
  }

  /** Reconnects without waiting if the page is visible, because the server may be available again. */
  function reconnectNow() {
    if (!document.hidden) socket.reconnectNow();
  }

  return {
    reconnectNow,
    /** @param {boolean} reachable whether the server has answered a request */
    setReachable(reachable) {
      isReachable = reachable;
      update();
      clearTimeout(timer);
      if (reachable) reconnectNow();
      else timer = setTimeout(retry, RETRY);
    },
    stop() {
      clearTimeout(timer);
      window.removeEventListener('online', socket.renew);
      document.removeEventListener('visibilitychange', reconnectNow);
      removePhaseListener();
      stopWatchingSleep();
    },
  };
}
