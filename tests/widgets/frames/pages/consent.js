// A provider's page whose consent has ended: it reports as the service's own callback page does.

document.getElementById('opener').addEventListener('click', () => {
  new BroadcastChannel('oauth').postMessage({ type: 'oauth-result', integration: 'cloudsuite', outcome: 'connected' });
});
