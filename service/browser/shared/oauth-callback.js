// Runs on the page that ends a consent: reports the outcome to the page that asked for it, then closes the window.
// It sends the integration and the outcome only. Tokens stay on the server.

const { integration, outcome } = document.body.dataset;
const result = { type: 'oauth-result', integration, outcome };
const CLOSE_DELAY = 400; // ms, so that the text can be seen

// To our own origin only: any page may have opened this one.
window.opener?.postMessage(result, location.origin);

// A provider's page may have removed the link to the opener.
const channel = new BroadcastChannel('oauth');
channel.postMessage(result);

// If the browser does not allow a window to close itself, the text says what to do.
if (outcome === 'connected') setTimeout(() => window.close(), CLOSE_DELAY);
