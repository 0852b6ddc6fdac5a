// The console's entry: the sign-in page or the workspace, whichever the session asks for.

import { createSession } from './session.js';
import { createSignIn } from './sign-in.js';
import { createWorkspace } from './workspace.js';

const app = /** @type {HTMLElement} */ (document.getElementById('app'));
const announcer = /** @type {HTMLElement} */ (document.getElementById('announcer'));
const sandbox = document.documentElement.dataset.sandbox === 'yes';
const storage = sessionStorage;
const session = createSession(storage);
/** @type {{node: HTMLElement, stop: () => void, ready?: () => void} | null} */
let shown = null;

/** @param {string} sentence read out once, politely */
function announce(sentence) {
  announcer.textContent = '';
  requestAnimationFrame(() => (announcer.textContent = sentence));
}

function show() {
  shown?.stop();
  announcer.textContent = '';
  shown = session.token
    ? createWorkspace({ session, storage, sandbox, announce })
    : createSignIn({ session, sandbox });
  app.replaceChildren(shown.node);
  shown.ready?.();
}

session.onChange(show);
show();
