// A card for one permission: what it allows, its state, and buttons to connect the account and to test the permission.

import { requestConfirmation } from '../page/confirm-dialog.js';
import { element, icon } from '../shared/elements.js';
import { isGranted } from '../shared/connections.js';
import { withIdempotencyKey } from '../shared/idempotency.js';
import { consentNeeded, isAboutTheBody, isRefreshFailure } from '../shared/oauth-answer.js';
import { createConsentLink } from './consent-link.js';
import { ENDINGS, NO_LONGER_ALLOWED, STAGES, advice } from './connection-words.js';

/**
 * @typedef {import('./integrations.js').Card} Card
 * @typedef {import('./integrations.js').Line} Line
 *
 * @typedef {object} CardContext
 * @property {string} name of the integration
 * @property {import('../shared/api-transport.js').Transport} transport
 * @property {import('../shared/connections.js').Connections} connections
 * @property {ReturnType<typeof import('../shared/consent.js').createConsents>} consents
 * @property {(sentence: string) => void} announce
 */

/** @param {Card} card @param {CardContext} context */
export function createConnectionCard(card, { name, transport, connections, consents, announce }) {
  const state = element('span', { class: 'connection-state' });
  const note = element('p', { class: 'note' });
  const problem = element('p', { class: 'problem', role: 'alert' });
  const preview = element('div', { class: 'preview', hidden: true });
  const connectButton = element('button', { type: 'button', class: 'primary', on: { click: connect } });
  const testButton = withLabel(element('button', { type: 'button', class: 'quiet', on: { click: test } }), 'Try it');
  const heading = element('h4', { tabindex: '-1' }, card.title);
  const node = element(
    'li',
    { class: 'connection', data: { flag: card.flag } },
    element('div', { class: 'connection-head' }, icon(card.icon), heading, state),
    element('p', { class: 'allows' }, card.allows, element('code', {}, card.endpoint)),
    element('div', { class: 'connection-actions' }, connectButton, testButton),
    element('div', { class: 'connection-messages' }, problem, note, preview),
  );
  /** @type {'' | 'Connect' | 'Reconnect'} what the user must do even though the flag is set */
  let repair = '';
  let testing = false;
  /** @type {import('../shared/idempotency.js').Keys} */
  const keys = new Map();

  async function connect() {
    showNote('');
    try {
      const ending = await consents.request(name, card, { renew: repair === 'Reconnect', onStage });
      if (ending === 'granted') repair = '';
      showNote(ENDINGS[ending]);
      announce(ending === 'granted' ? `${card.title}: granted` : ENDINGS[ending]);
    } catch (error) {
      fail(error);
    }
    update();
  }

  /** @param {import('../shared/consent.js').Stage} stage @param {string} [url] */
  function onStage(stage, url) {
    showNote(STAGES[stage], url);
    announce(STAGES[stage]);
  }

  async function test() {
    if (testing) return;
    const status = connections.of(name);
    const { body, lines, confirmation } = /** @type {import('./integrations.js').TestCall} */ (card.testCall);
    if (confirmation && !(await requestConfirmation(confirmation(status)))) return;
    testing = true;
    showNote('Trying…');
    try {
      const data = await callEndpoint(body(status));
      if (data) showPreview(lines(data, status));
      else await showMissingConsent();
    } catch (error) {
      fail(error);
    }
    testing = false;
    update();
  }

  /** @param {Record<string, any>} body @returns {Promise<any>} null if a consent is needed first */
  async function callEndpoint(body) {
    try {
      const path = `/api/integrations/${card.endpoint}`;
      const answer = await withIdempotencyKey(keys, JSON.stringify(body), (key) => transport.call('POST', path, { body, headers: { 'Idempotency-Key': key } }));
      return consentNeeded(answer) ? null : answer.data;
    } catch (error) {
      if (card.testCall?.emptyBody && isAboutTheBody(error)) return {};
      throw error;
    }
  }

  /** Called when the permission was revoked since the last status. */
  async function showMissingConsent() {
    repair = 'Connect';
    showNote('');
    showProblem(NO_LONGER_ALLOWED);
    await connections.refresh(); // the service may have deleted the tokens during the call
  }

  /** @param {unknown} error */
  function fail(error) {
    showNote('');
    showProblem(advice(error));
    if (isRefreshFailure(error)) repair = 'Reconnect';
  }

  /** @param {{title: string, lines: Line[]}} preview */
  function showPreview({ title, lines }) {
    showNote('');
    repair = '';
    const items = lines.map(({ text, about }) => element('li', {}, bdi(text), about && bdi(about, 'about')));
    const list = lines.length ? element('ul', {}, ...items) : element('p', { class: 'about' }, 'There are none.');
    preview.replaceChildren(element('p', { class: 'preview-title' }, title), list);
    preview.hidden = false;
    announce(`${card.title}: ${title}, ${lines.length}`);
  }

  /** @param {string} text @param {string} [url] of the consent page, if the browser has blocked its window */
  function showNote(text, url) {
    note.replaceChildren(...[text, url && createConsentLink(url)].filter(Boolean).flatMap((part) => [part, ' ']));
    problem.textContent = '';
    hidePreview();
  }

  function hidePreview() {
    preview.replaceChildren();
    preview.hidden = true;
  }

  /** @param {string} text */
  function showProblem(text) {
    problem.textContent = text;
  }

  function update() {
    const granted = isGranted(card, connections.of(name));
    if (!granted) repair = repair && 'Connect'; // the tokens were deleted, so there is nothing to renew
    const works = granted && !repair;
    if (!granted) hidePreview(); // the preview belongs to the account that was disconnected
    const focused = [connectButton, testButton].find((button) => button === document.activeElement);
    connectButton.hidden = works;
    testButton.hidden = !card.testCall || !granted; // without the permission, the call would only request a consent
    withLabel(connectButton, repair || 'Connect');
    if (focused?.hidden) focus();
    node.dataset.state = works ? 'granted' : granted ? 'broken' : 'open';
    state.textContent = works ? 'Granted' : granted ? 'Broken' : 'Not granted';
  }

  /** @param {HTMLElement} button @param {string} label */
  function withLabel(button, label) {
    button.textContent = label;
    button.setAttribute('aria-label', `${label}: ${card.title}`);
    return button;
  }

  /** Focuses the first button. Without a test call, a granted card has no button, so that its title gets the focus. */
  function focus() {
    [connectButton, testButton, heading].find(({ hidden }) => !hidden)?.focus();
  }

  update();
  return { node, update, focus };
}

/** A text whose writing direction is not known, isolated from the text around it. @param {string} text @param {string} [kind] */
function bdi(text, kind) {
  return element('bdi', { class: kind }, text);
}
