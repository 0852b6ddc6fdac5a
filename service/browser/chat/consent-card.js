// The card of a tool call that waits for a grant. It shows the account, what the grant allows, and a button that
// connects the account.

import { element } from '../shared/elements.js';
import { createConsentLink } from '../integrations/consent-link.js';
import { ENDINGS, STAGES, advice } from '../integrations/connection-words.js';
import { cardFor } from '../integrations/integrations.js';
import { titleOf } from '../integrations/titles.js';
import { createCountdown, setText } from './countdown.js';
import { GRANTS, timeLeft } from './question-words.js';

/** @typedef {import('./question-parts.js').ConsentPart} ConsentPart */

/**
 * @param {ReturnType<typeof import('../shared/consent.js').createConsents>} consents
 * @param {import('../shared/connections.js').Connections} connections
 */
export function createConsentCard(consents, connections) {
  const node = element('div', { class: 'question', role: 'group' });
  const asking = element('div', { class: 'question-asking' });
  const outcome = element('p', { class: 'question-state', tabindex: '-1' });
  const note = element('p', { class: 'note', role: 'status' });
  const button = element('button', { type: 'button', class: 'primary', on: { click: connect } }, 'Connect');
  const actions = element('div', { class: 'question-actions' }, button);
  /** @type {ConsentPart | null} */
  let current = null;
  const countdown = createCountdown(showFacts);

  function showFacts() {
    if (!current) return;
    const { state, expiresAt } = current.data;
    setText(outcome, state === 'asked' ? `The call is made once it is connected. ${timeLeft(expiresAt)}` : GRANTS[state]);
  }

  async function connect() {
    if (!current) return;
    const { provider, endpoint } = current.data;
    const flag = cardFor(provider, endpoint)?.flag ?? 'connected';
    try {
      const ending = await consents.request(provider, { flag, endpoint }, { renew: false, onStage });
      note.textContent = ENDINGS[ending];
    } catch (error) {
      note.textContent = advice(error);
    }
  }

  /** @param {import('../shared/consent.js').Stage} stage @param {string} [url] */
  function onStage(stage, url) {
    note.replaceChildren(STAGES[stage], ' ', url ? createConsentLink(url) : '');
  }

  /** @param {ConsentPart['data']} data */
  function build(data) {
    const title = titleOf(data.provider);
    const items = permissionsOf(data).map((text) => element('li', {}, text));
    node.setAttribute('aria-label', `Connection: ${title}`);
    asking.append(
      element('p', { class: 'question-kind' }, 'An account is needed'),
      element('h4', {}, `Connect your account: ${title}`),
      element('ul', { 'aria-label': 'What it allows' }, ...items),
      element('p', { class: 'hint' }, 'Endpoint ', element('code', {}, data.endpoint)),
    );
    node.append(asking, outcome, actions, note);
  }

  return {
    node,
    stop: countdown.stop,
    /** @param {ConsentPart} part */
    update(part) {
      if (part === current || (current && part.data.state === current.data.state && part.id === current.id)) return;
      if (!current) build(part.data);
      // Without this, an account that is connected for another permission would look like the new grant.
      if (!current && part.data.state === 'asked') connections.refresh();
      current = part;
      const { state, expiresAt } = part.data;
      const hadFocus = actions.contains(document.activeElement);
      node.dataset.state = state;
      if (state === 'asked') countdown.start(expiresAt);
      else countdown.stop();
      showFacts();
      asking.hidden = actions.hidden = note.hidden = state !== 'asked';
      if (actions.hidden && hadFocus) outcome.focus(); // the focused button is hidden now
    },
  };
}

/**
 * What a grant allows, in the words of the Connections page if it has a card for the grant.
 * @param {import('./question-parts.js').Consent} consent @returns {string[]}
 */
export function permissionsOf({ provider, endpoint, scopes }) {
  const card = cardFor(provider, endpoint);
  if (card) return [`${card.title}: ${card.allows}`];
  return scopes.map((scope) => scope.split('/').at(-1) || scope);
}
