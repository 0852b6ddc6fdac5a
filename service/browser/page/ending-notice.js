// Warns the user some minutes before a sign-in that can't be renewed ends, and says when it has ended. The page behind
// the notice stays, so that the user can read a reply that is being received.

import { element } from '../shared/elements.js';
import { minutesInWords } from '../shared/time-format.js';
import { timeLeft } from '../shared/token-claims.js';

const AHEAD = 5 * 60_000; // ms

/**
 * @param {object} options
 * @param {import('./session.js').Session} options.session
 * @param {() => void} options.signIn
 * @param {() => void} options.leave moves the focus away when the user closes the notice
 */
export function createEndingNotice({ session, signIn, leave }) {
  const text = element('span', { role: 'status' });
  const again = element('button', { type: 'button', class: 'quiet', on: { click: signIn } }, 'Sign in again');
  const later = element('button', { type: 'button', class: 'quiet', on: { click: hide } }, 'Later');
  const node = element('div', { class: 'ending-notice', hidden: true }, text, again, later);
  /** @type {any} */
  let timer = 0;

  /** @param {string} sentence @param {boolean} isOver */
  function show(sentence, isOver) {
    node.hidden = false;
    later.hidden = isOver;
    text.textContent = sentence;
  }

  function hide() {
    node.hidden = true;
    leave();
  }

  function watch() {
    clearTimeout(timer);
    const left = session.isRenewable ? null : timeLeft(session.token);
    if (left === null || left <= 0) return;
    if (left > AHEAD) timer = left < 2 ** 31 ? setTimeout(watch, left - AHEAD) : 0;
    else show(`Your sign-in ends in ${minutesInWords(left)}. Then sign in again; your drafts are kept.`, false);
  }

  watch();
  return {
    node,
    /** The sign-in has ended while a reply is being shown. */
    showEnd: () => show('Your sign-in has ended. Sign in again to go on; your drafts are kept.', true),
    stop: () => clearTimeout(timer),
  };
}
