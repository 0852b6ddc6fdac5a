// Messages from the last page of a consent, which reports the outcome to this tab and to other tabs of the browser.

import { openChannel } from './site-data.js';

/**
 * @param {(value: unknown) => void} receive takes a message, which any page of this origin may have sent
 * @returns {() => void} stops listening
 */
export function listenForConsents(receive) {
  const channel = openChannel('oauth');
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
