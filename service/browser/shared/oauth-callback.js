// Runs on the last page of a consent: reports the outcome to the page that requested the consent, then closes the
// window. It sends only the integration, the outcome and the consent's `state`, by which several tabs tell their
// consents apart. The state can't be used any more. The form of the confirmation page has none. Tokens stay on the server.

import { openChannel } from './site-data.js';

const { integration, outcome } = document.body.dataset;
const state = new URLSearchParams(location.search).get('state');
const result = { type: 'oauth-result', integration, outcome, ...(state && { state }) };
const CLOSE_DELAY = 400; // ms in which the user can see the text

// Only to the origin of this service, because any page may have opened this one.
window.opener?.postMessage(result, location.origin);

// A provider's page may have removed the link to the opener.
openChannel('oauth').postMessage(result);

// If the browser does not let the window close itself, the text of the page says what to do.
if (outcome === 'connected') setTimeout(() => window.close(), CLOSE_DELAY);
