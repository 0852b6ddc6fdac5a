// A card for one permission: what it allows, its state, and buttons to connect the account and to test the permission.

import { requestConfirmation } from '../page/confirm-dialog.js';
import { element, icon } from '../shared/elements.js';
import { isGranted } from '../shared/connections.js';
import { withIdempotencyKey } from '../shared/idempotency.js';
import { consentNeeded, isAboutTheBody, isRefreshFailure } from '../shared/oauth-answer.js';
import { createCardMessages } from './card-messages.js';
import { ENDINGS, NO_LONGER_ALLOWED, STAGES, advice } from './connection-words.js';

/**
 * @typedef {import('./integrations.js').Card} Card
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
  const messages = createCardMessages();
  const connectButton = element('button', { type: 'button', class: 'primary', on: { click: connect } });
  const testButton = withLabel(element('button', { type: 'button', class: 'quiet', on: { click: test } }), 'Try it');
  const heading = element('h4', { tabindex: '-1' }, card.title);
  const node = element(
    'li',
    { class: 'connection', data: { flag: card.flag } },
    element('div', { class: 'connection-head' }, icon(card.icon), heading, state),
    element('p', { class: 'allows' }, card.allows, element('code', {}, card.endpoint)),
    element('div', { class: 'connection-actions' }, connectButton, testButton),
    messages.node,
  );
  /** @type {'' | 'Connect' | 'Reconnect'} what the user must do even though the flag is set */
  let repair = '';
  let testing = false;
  const callEndpoint = createTestCall(card, transport);

  async function connect() {
    messages.showNote('');
    try {
      const ending = await consents.request(name, card, { renew: repair === 'Reconnect', onStage });
      if (ending === 'granted') repair = '';
      messages.showNote(ENDINGS[ending]);
      announce(ending === 'granted' ? `${card.title}: granted` : ENDINGS[ending]);
    } catch (error) {
      fail(error);
    }
    update();
  }

  /** @param {import('../shared/consent.js').Stage} stage @param {string} [url] */
  function onStage(stage, url) {
    messages.showNote(STAGES[stage], url);
    announce(STAGES[stage]);
  }

  async function test() {
    if (testing) return;
    const status = connections.of(name);
    const { body, lines, confirmation } = /** @type {import('./integrations.js').TestCall} */ (card.testCall);
    if (confirmation && !(await requestConfirmation(confirmation(status)))) return;
    testing = true;
    messages.showNote('Trying…');
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

  /** Called when the permission was revoked since the last status. */
  async function showMissingConsent() {
    repair = 'Connect';
    messages.showProblem(NO_LONGER_ALLOWED);
    await connections.refresh(); // the service may have deleted the tokens during the call
  }

  /** @param {unknown} error */
  function fail(error) {
    messages.showProblem(advice(error));
    if (isRefreshFailure(error)) repair = 'Reconnect';
  }

  /** @param {import('./card-messages.js').Preview} preview */
  function showPreview(preview) {
    repair = '';
    messages.showPreview(preview);
    announce(`${card.title}: ${preview.title}, ${preview.lines.length}`);
  }

  function update() {
    const granted = isGranted(card, connections.of(name));
    if (!granted) repair = repair && 'Connect'; // the tokens were deleted, so there is nothing to renew
    const works = granted && !repair;
    if (!granted) messages.hidePreview(); // the preview belongs to the account that was disconnected
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

/**
 * Returns the function that makes the test call of a card.
 * @param {Card} card @param {import('../shared/api-transport.js').Transport} transport
 */
function createTestCall(card, transport) {
  /** @type {import('../shared/idempotency.js').Keys} */
  const keys = new Map();
  const path = `/api/integrations/${card.endpoint}`;

  /** @param {Record<string, any>} body @returns {Promise<any>} null if a consent is needed first */
  return async (body) => {
    try {
      const answer = await withIdempotencyKey(keys, JSON.stringify(body), (key) => transport.call('POST', path, { body, headers: { 'Idempotency-Key': key } }));
      return consentNeeded(answer) ? null : answer.data;
    } catch (error) {
      if (card.testCall?.emptyBody && isAboutTheBody(error)) return {};
      throw error;
    }
  };
}
