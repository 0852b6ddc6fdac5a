// The connections page: the user's accounts, with a card for each permission of an account.

import { requestConfirmation } from '../page/confirm-dialog.js';
import { createConnectionCard } from './connection-card.js';
import { failureInWords } from './connection-words.js';
import { createConnections } from '../shared/connections.js';
import { listenForConsents } from '../shared/consent-messages.js';
import { createConsents } from '../shared/consent.js';
import { arrange, element, isFocusLost, tryAgain } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { readEndpoints } from '../page/readings.js';
import { describedIntegration } from './catalog-cards.js';
import { integrationOf, isDeclared } from './integrations.js';

/** @typedef {import('../page/view.js').ViewContext} ViewContext */

/** @param {ViewContext} context @returns {import('../page/view.js').View} */
export function createConnectionsView({ transport, announce, socket }) {
  const connections = createConnections(transport);
  const consents = createConsents({ transport, connections });
  const context = { transport, announce, connections, consents };
  const problem = element('span', {});
  const retry = element('button', { type: 'button', on: { click: () => tryAgain(read, retry, focus) } }, 'Try again');
  const notice = element('div', { class: 'notice', role: 'alert', hidden: true }, problem, retry);
  const empty = element('p', { class: 'empty' }, 'Loading…');
  const list = element('div', { class: 'accounts' });
  const node = element(
    'div',
    { class: 'connections-view' },
    element('h2', {}, 'Connections'),
    element('p', { class: 'lead' }, 'Your own accounts. Each permission is requested separately, and only when you connect it.'),
    notice,
    empty,
    list,
  );
  /** @type {Map<string, ReturnType<typeof createAccount>>} */
  const accounts = new Map();
  /** @type {import('./endpoint-search.js').Endpoint[] | null} only read for integrations that this page does not know */
  let catalog = null;
  let catalogProblem = '';
  /** @type {Record<string, any>} by integration: the state of its access, as last read */
  let health = {};
  let healthRequests = 0; // only the answer to the newest one is shown
  const stopListening = listenForConsents(consents.receive);
  window.addEventListener('focus', refresh);
  const stopWatching = connections.onChange(showStatus);
  const stopWatchingSocket = socket.onPhase(readAgain);

  function focus() {
    accounts.values().next().value?.focus();
  }

  /** Does nothing while another view is shown, because showing this view reads the status. */
  function refresh() {
    if (node.isConnected) read();
  }

  /** Reads what could not be read, after the connection is back. */
  function readAgain() {
    if (socket.phase === 'open' && !notice.hidden) refresh();
  }

  async function read() {
    await connections.refresh();
    if (!catalog && Object.keys(connections.all ?? {}).some((name) => !isDeclared(name))) await readCatalog();
  }

  async function readCatalog() {
    try {
      catalog = await readEndpoints(transport);
      catalogProblem = '';
    } catch (error) {
      catalogProblem = errorText(error);
    }
    update();
  }

  function showStatus() {
    update();
    readHealth();
  }

  function update() {
    const { all } = connections;
    problem.textContent = connections.problem || catalogProblem;
    notice.hidden = !problem.textContent;
    empty.hidden = all === null ? Boolean(connections.problem) : Object.keys(all).length > 0;
    empty.textContent = all === null ? 'Loading…' : 'This server has no accounts that you can connect.';
    const known = Object.keys(all ?? {}).filter((name) => catalog || isDeclared(name));
    arrange(list, known.map(renderAccount));
  }

  /** Reads the health of all connections, and shows it at their accounts. */
  async function readHealth() {
    const mine = (healthRequests += 1);
    const isConnected = Object.values(connections.all ?? {}).some(({ connected }) => connected);
    const answer = isConnected ? await transport.get('/api/integrations/health').catch(() => ({})) : {}; // a failure shows nothing
    if (mine !== healthRequests) return;
    health = answer;
    update();
  }

  /** @param {string} name */
  function renderAccount(name) {
    const integration = isDeclared(name) ? integrationOf(name) : describedIntegration(name, catalog ?? []);
    const account = accounts.get(name) ?? createAccount(name, integration, context);
    accounts.set(name, account);
    account.update(health[name]);
    return account.node;
  }

  return {
    node,
    title: 'Connections',
    show: () => void read(),
    refresh,
    focus,
    stop() {
      stopWatching();
      stopWatchingSocket();
      consents.stop();
      stopListening();
      window.removeEventListener('focus', refresh);
    },
  };
}

/**
 * One integration: the connected account, the cards, and the button to disconnect.
 * @param {string} name
 * @param {import('./integrations.js').Integration} integration
 * @param {Omit<import('./connection-card.js').CardContext, 'name'>} context
 */
function createAccount(name, { title, cards }, context) {
  const { connections, announce } = context;
  const views = cards.map((card) => createConnectionCard(card, { ...context, name }));
  const owner = element('p', { class: 'whose' });
  const disconnectButton = element('button', { type: 'button', class: 'quiet', on: { click: disconnect } }, 'Disconnect');
  const problem = element('p', { class: 'problem', role: 'alert' });
  const health = element('p', { class: 'problem', role: 'status' });
  const headingId = `account-${name}`;
  const node = element(
    'section',
    { class: 'account', 'aria-labelledby': headingId },
    element('div', { class: 'account-head' }, element('h3', { id: headingId, tabindex: '-1' }, title), owner, disconnectButton),
    problem,
    health,
    element('ul', { class: 'connection-cards' }, ...views.map((card) => card.node)),
  );

  async function disconnect() {
    const text = 'All permissions are removed. The previews of this account disappear.';
    if (!(await requestConfirmation({ title: `Disconnect ${title}?`, text, action: 'Disconnect' }))) return;
    problem.textContent = '';
    try {
      await connections.disconnect(name);
      announce(`${title} is disconnected`);
      if (isFocusLost()) focus();
    } catch (error) {
      problem.textContent = errorText(error);
    }
  }

  function focus() {
    if (views.length) views[0].focus();
    else node.querySelector('h3')?.focus();
  }

  return {
    node,
    focus,
    /** Shows the status of the account, and a text if its access fails. @param {Parameters<typeof failureInWords>[0]} state */
    update(state) {
      const { connected, email } = connections.of(name);
      owner.textContent = !connected ? 'Not connected' : email ? `Connected as ${email}` : 'Connected';
      owner.dataset.on = String(connected);
      disconnectButton.hidden = !connected;
      const failure = connected ? failureInWords(state) : '';
      if (health.textContent !== failure) health.textContent = failure; // screen readers read out each change
      for (const card of views) card.update();
    },
  };
}
