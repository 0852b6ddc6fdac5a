// The last page of a consent: it reports the outcome as the service's callback page does.

document.getElementById('opener').addEventListener('click', () => {
  new BroadcastChannel('oauth').postMessage({ type: 'oauth-result', integration: 'cloudsuite', outcome: 'connected' });
});
