// The entry point: shows the sign-in page, or the workspace when there is a session.

import { createSession } from './session.js';
import { createSignIn } from './sign-in.js';
import { createWorkspace } from './workspace.js';

const app = /** @type {HTMLElement} */ (document.getElementById('app'));
const announcer = /** @type {HTMLElement} */ (document.getElementById('announcer'));
const sandbox = document.documentElement.dataset.sandbox === 'yes';
const storage = sessionStorage;
const session = createSession(storage);
/** @type {{node: HTMLElement, stop: () => void, ready?: () => void} | null} */
let page = null;

/** @param {string} sentence for screen readers */
function announce(sentence) {
  announcer.textContent = '';
  requestAnimationFrame(() => (announcer.textContent = sentence));
}

function show() {
  page?.stop();
  announcer.textContent = '';
  page = session.token
    ? createWorkspace({ session, storage, sandbox, announce })
    : createSignIn({ session, sandbox });
  app.replaceChildren(page.node);
  page.ready?.();
}

session.onChange(show);
show();
