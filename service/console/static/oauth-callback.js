// On the page where a consent ends: tells the console how it went, then goes away.
// Nothing but these two words: the tokens are the server's, and no window ever sees one.

const { integration, outcome } = document.body.dataset;
const result = { type: 'oauth-result', integration, outcome };
const READABLE = 400; // ms

// To our own origin only: whatever page has opened this one, no other may know.
window.opener?.postMessage(result, location.origin);

// A provider's page may have cut the window off from its opener.
const channel = new BroadcastChannel('oauth');
channel.postMessage(result);

// Where a window may not close itself, its text says what to do.
if (outcome === 'connected') setTimeout(() => window.close(), READABLE);
