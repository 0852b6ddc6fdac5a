// The entry point of the console. It shows the workspace if there is a session, and the sign-in page otherwise.

import { onSignInLink, takePaletteRequest } from './first-events.js'; // runs first
import { requestConfirmation } from '../page/confirm-dialog.js';
import { removeDrafts } from '../page/drafts.js';
import { createSession } from '../page/session.js';
import { createSignIn, takeReturn } from './sign-in.js';
import { takeSignInProblem } from './sign-in-problems.js';
import { createWorkspace } from './workspace.js';
import { createAnnouncer, focusPressedButtons } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { storageOf } from '../shared/site-data.js';
import { followTheme } from '../shared/theme.js';
import { subjectOf } from '../shared/token-claims.js';

const app = /** @type {HTMLElement} */ (document.getElementById('app'));
const { announce, clear: clearAnnouncements } = createAnnouncer(/** @type {HTMLElement} */ (document.getElementById('announcer')));
const { dataset } = document.documentElement;
const sandbox = dataset.sandbox === 'yes';
const hasProvider = dataset.signIn === 'yes';
const storage = storageOf(() => sessionStorage);
const session = createSession(storage);
/** @type {{node: HTMLElement, stop: () => void, ready?: () => void, showPalette?: () => void} | null} */
let page = null;
let offered = ''; // the token of a sign-in link
let restored = Promise.resolve(); // resolves when it is known whether the browser has a session at the server

/**
 * Signs in with the token of a link. If a user is signed in, it asks first, because anybody can create a link.
 * @param {string} token
 */
async function follow(token) {
  await restored; // the browser's session may turn out to be that of another user
  if (!sandbox) return announce('Links sign in to the sandbox only.');
  if (session.token && !(await requestConfirmation(replacing(session.subject, subjectOf(token))))) return;
  offered = token;
  if (session.token) session.end();
  else show();
}

/** @param {string} now @param {string} next */
function replacing(now, next) {
  const text = `You are signed in as ${now}. This link signs in ${next || 'somebody else'}. Drafts of ${now} are kept.`;
  return { title: 'Sign in by this link?', text, action: 'Sign in' };
}

function show() {
  page?.stop();
  clearAnnouncements();
  page = session.token
    ? createWorkspace({ session, storage, sandbox, announce })
    : createSignIn({ session, sandbox, hasProvider, storage, offered });
  offered = '';
  app.replaceChildren(page.node);
  page.ready?.();
  if (takePaletteRequest()) page.showPalette?.();
}

/** Signs in with the browser's session at the server. */
async function restore() {
  try {
    await session.renew();
  } catch (error) {
    session.end(errorText(error));
  }
}

followTheme();
focusPressedButtons();
session.reason = takeSignInProblem();
const hash = takeReturn(storage);
if (hash && !location.hash) history.replaceState(null, '', hash);
session.onSignOut(() => removeDrafts(storage, session.lastSubject));
session.onChange(show);
if (!session.token && dataset.session === 'yes') restored = restore();
else show();
onSignInLink(follow);
