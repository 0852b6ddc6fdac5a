// What the pages at the end of a consent report, to this tab and to others of this browser.

/**
 * @param {(value: unknown) => void} receive takes a message, which may be from anybody of this origin
 * @returns {() => void} stops listening
 */
export function listenForConsents(receive) {
  const channel = new BroadcastChannel('oauth');
  channel.onmessage = ({ data }) => receive(data);
  /** @param {MessageEvent} event */
  function onMessage({ origin, data }) {
    if (origin === location.origin) receive(data);
  }
  window.addEventListener('message', onMessage);
  return () => {
    channel.close();
    window.removeEventListener('message', onMessage);
  };
}
