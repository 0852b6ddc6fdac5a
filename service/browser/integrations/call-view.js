// Shows the progress of a call: waiting, a needed consent, a running job, the answer, or the error.

import { element, isFocusLost } from '../shared/elements.js';
import { ApiError } from '../shared/errors.js';
import { createAnswerView } from './answer-view.js';
import { problemOf } from './call-problem.js';
import { createConsentLink } from './consent-link.js';
import { ENDINGS, STAGES, advice } from './connection-words.js';
import { hrefOf } from '../page/route.js';

/** @typedef {import('./endpoint-call.js').Progress} Progress */
/** @typedef {ReturnType<typeof import('./endpoint-call.js').createEndpointCall>} EndpointCall */

const ENDS = ['done', 'consent', 'failed'];
const NOTHING = 'Send the call to see its answer.';
const CONNECT = 'This uses your own account. Connect it first. The call is then sent automatically.';
const CONNECT_FOR_JOB = 'The job needs your own account. Connect it. The job is then checked again.';
const AGAIN = 'The account is connected, but without this permission. Connect again and leave it selected.';

/**
 * @param {import('./endpoint-search.js').Endpoint} endpoint
 * @param {import('./endpoint-panel.js').PanelContext & {call: EndpointCall, refuse: (details: any) => void}} context
 */
export function createCallView(endpoint, { call, refuse, announce, connections, consents }) {
  const facts = element('p', { class: 'call-facts' });
  const content = element('div', { class: 'call-content' }, element('p', { class: 'hint' }, NOTHING));
  const head = element('div', { class: 'box-head' }, element('h4', {}, 'Answer'), facts);
  const node = element('section', { class: 'box call-box', 'aria-label': 'Answer', tabindex: '-1' }, head, content);
  let watched = ''; // the job on the screen
  let shownData = ''; // the data of the job on the screen
  let wasAsked = false; // whether the consent page was opened for this call

  /** @type {Record<Progress['phase'], (progress: Progress) => void>} */
  const shows = {
    idle: () => put(element('p', { class: 'hint' }, NOTHING)),
    asking: () => put(element('p', { class: 'hint' }, 'Waiting for your approval.')),
    running: () => put(waiting('Waiting for the answer'), stopButton('Cancel')),
    job: showJob,
    done: showAnswer,
    consent: ({ consent, job }) => showConsent(consent?.scopes ?? [], job ? CONNECT_FOR_JOB : CONNECT),
    failed: ({ error }) => showProblem(error),
  };

  /** @param {...(HTMLElement | null)} nodes */
  function put(...nodes) {
    watched = shownData = '';
    content.replaceChildren(...nodes.filter((each) => each !== null));
  }

  /** @param {string} label */
  function stopButton(label) {
    return element('button', { type: 'button', class: 'quiet', on: { click: call.stop } }, label);
  }

  /** Updates only what has changed: otherwise the button would lose the focus, and everything would be read out again. @param {Progress} progress */
  function showJob({ data, job = '' }) {
    if (watched !== job) put(waiting('The job is running'), jobLine(job), stopButton('Stop watching'));
    watched = job;
    const news = JSON.stringify(data);
    if (news === shownData) return; // keeps the scroll position
    shownData = news;
    content.querySelector(':scope > .answer')?.remove();
    const part = partial(data);
    if (part) content.append(part);
  }

  /** @param {Progress} progress */
  function showAnswer({ data, seconds, kept, job }) {
    wasAsked = false;
    facts.textContent = [kept && 'Cached answer, free', seconds !== undefined && `${seconds.toFixed(2)} s`].filter(Boolean).join(' · ');
    put(job ? jobLine(job) : null, createAnswerView(data, endpoint.category === 'image'));
    announce('The answer has arrived');
  }

  /** @param {string[]} scopes @param {string} first the text before the consent page was opened */
  function showConsent(scopes, first) {
    const note = element('p', { class: 'note', role: 'status' });
    const text = wasAsked ? AGAIN : first;
    const button = element('button', { type: 'button', class: 'primary', on: { click: () => connect(note, false) } }, 'Connect');
    const list = element('ul', { class: 'scopes' }, ...scopes.map((scope) => element('li', {}, element('code', {}, scope))));
    put(element('p', {}, text), list, button, note);
    announce(text);
    connections.refresh();
  }

  /** @param {HTMLElement} note @param {boolean} renew */
  async function connect(note, renew) {
    const permission = { flag: 'connected', endpoint: endpoint.name };
    try {
      const ending = await consents.request(endpoint.integration, permission, { renew, onStage });
      note.textContent = ENDINGS[ending];
      wasAsked = true;
      if (ending === 'granted') await call.repeat();
    } catch (error) {
      note.textContent = advice(error);
    }

    /** @param {import('../shared/consent.js').Stage} stage @param {string} [url] */
    function onStage(stage, url) {
      note.replaceChildren(STAGES[stage], ' ', url ? createConsentLink(url) : '');
    }
  }

  /** @param {unknown} error */
  function showProblem(error) {
    const { text, advice: hint, remedy, nearest } = problemOf(error);
    const note = element('p', { class: 'note', role: 'status' });
    const links = nearest.map((name) => element('a', { href: hrefOf('explorer', name) }, name));
    put(element('div', { class: 'call-problem', role: 'alert' }, element('p', {}, text), hint && element('p', {}, hint), ...links), remedyButton(remedy, note), note);
    if (error instanceof ApiError && error.code === 'invalid_request') refuse(error.details);
  }

  /** @param {import('./call-problem.js').Remedy} remedy @param {HTMLElement} note */
  function remedyButton(remedy, note) {
    if (remedy === 'reconnect') {
      return element('button', { type: 'button', class: 'primary', on: { click: () => connect(note, true) } }, 'Reconnect');
    }
    return null; // no button: the user can press the form's button again
  }

  return {
    node,
    /** @param {Progress} progress */
    show(progress) {
      facts.textContent = '';
      node.setAttribute('aria-busy', String(['running', 'job'].includes(progress.phase)));
      const hadFocus = content.contains(document.activeElement);
      shows[progress.phase](progress);
      if (hadFocus && isFocusLost()) node.focus({ preventScroll: true }); // the focused button was removed
      if (ENDS.includes(progress.phase) && !isRefused(progress)) reveal(node);
    },
  };
}

/** Whether the error is shown at the fields of the form. @param {Progress} progress */
function isRefused({ error }) {
  return error instanceof ApiError && error.code === 'invalid_request';
}

/** Scrolls to the answer: on a narrow page it is below the form, which may be long. @param {HTMLElement} node */
function reveal(node) {
  const { top } = node.getBoundingClientRect();
  if (top < 0 || top > innerHeight * 0.75) node.scrollIntoView({ block: 'start' });
}

/** @param {string} text */
function waiting(text) {
  return element('p', { class: 'waiting', role: 'status' }, text);
}

/** @param {string | undefined} job */
function jobLine(job) {
  return element('p', { class: 'hint' }, 'Job ', element('code', {}, job ?? ''));
}

/** The data that a running job has so far. @param {any} data */
function partial(data) {
  const { jobId, status, ...rest } = data ?? {};
  return Object.keys(rest).length ? createAnswerView(rest) : null;
}
