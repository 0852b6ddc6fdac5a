// The connections page: the user's own accounts, and for each permission a card.

import { confirmed } from './confirm-dialog.js';
import { createConnectionCard } from './connection-card.js';
import { createConnections } from './connections.js';
import { createConsents } from './consent.js';
import { arrange, element } from './elements.js';
import { inWords } from './errors.js';
import { integrationOf } from './integrations.js';

/** @typedef {import('./workspace.js').World} World */

/** @param {World} world @returns {import('./workspace.js').View} */
export function createConnectionsView({ transport, announce }) {
  const connections = createConnections(transport);
  const consents = createConsents({ transport, connections });
  const site = { transport, announce, connections, consents };
  const problem = element('span', {});
  const again = element('button', { type: 'button', on: { click: connections.refresh } }, 'Try again');
  const notice = element('div', { class: 'notice', role: 'alert', hidden: true }, problem, again);
  const empty = element('p', { class: 'empty' }, 'Loading…');
  const list = element('div', { class: 'accounts' });
  const node = element(
    'div',
    { class: 'connections-view' },
    element('h2', {}, 'Connections'),
    element('p', { class: 'lead' }, 'Your own accounts. Each permission is asked for alone, and only when you connect it.'),
    notice,
    empty,
    list,
  );
  /** @type {Map<string, ReturnType<typeof createAccount>>} */
  const accounts = new Map();
  const channel = new BroadcastChannel('oauth');
  channel.onmessage = ({ data }) => consents.hear(data);
  window.addEventListener('message', hear);
  window.addEventListener('focus', refresh);
  const stopWatching = connections.onChange(update);

  /** @param {MessageEvent} event */
  function hear({ origin, data }) {
    if (origin === location.origin) consents.hear(data);
  }

  /** Not while another view is shown: it is read when this one is. */
  function refresh() {
    if (node.isConnected) connections.refresh();
  }

  function update() {
    const { all } = connections;
    problem.textContent = connections.problem;
    notice.hidden = !connections.problem;
    empty.hidden = all === null ? Boolean(connections.problem) : Object.keys(all).length > 0;
    empty.textContent = all === null ? 'Loading…' : 'This server has nothing that a user could connect.';
    arrange(list, Object.keys(all ?? {}).map(shownAccount));
  }

  /** @param {string} name */
  function shownAccount(name) {
    const account = accounts.get(name) ?? createAccount(name, site);
    accounts.set(name, account);
    account.update();
    return account.node;
  }

  return {
    node,
    title: 'Connections',
    show: () => void connections.refresh(),
    refresh,
    focus: () => accounts.values().next().value?.focus(),
    stop() {
      stopWatching();
      consents.stop();
      channel.close();
      window.removeEventListener('message', hear);
      window.removeEventListener('focus', refresh);
    },
  };
}

/**
 * One integration: whose account it is, its cards, and the way out.
 * @param {string} name
 * @param {Omit<import('./connection-card.js').Site, 'name'>} site
 */
function createAccount(name, site) {
  const { connections, announce } = site;
  const { title, cards } = integrationOf(name);
  const shown = cards.map((card) => createConnectionCard(card, { ...site, name }));
  const whose = element('p', { class: 'whose' });
  const leave = element('button', { type: 'button', class: 'quiet', on: { click: disconnect } }, 'Disconnect');
  const problem = element('p', { class: 'problem', role: 'alert' });
  const named = `account-${name}`;
  const node = element(
    'section',
    { class: 'account', 'aria-labelledby': named },
    element('div', { class: 'account-head' }, element('h3', { id: named, tabindex: '-1' }, title), whose, leave),
    problem,
    element('ul', { class: 'connection-cards' }, ...shown.map((card) => card.node)),
  );

  async function disconnect() {
    const text = 'Every permission is taken back. What the console has shown of the account is not kept.';
    if (!(await confirmed({ title: `Disconnect ${title}?`, text, action: 'Disconnect' }))) return;
    problem.textContent = '';
    try {
      await connections.disconnect(name);
      announce(`${title} is disconnected`);
      focus();
    } catch (error) {
      problem.textContent = inWords(error);
    }
  }

  function focus() {
    if (shown.length) shown[0].focus();
    else node.querySelector('h3')?.focus();
  }

  return {
    node,
    focus,
    update() {
      const { connected, email } = connections.of(name);
      whose.textContent = !connected ? 'Not connected' : email ? `Connected as ${email}` : 'Connected';
      whose.dataset.on = String(connected);
      leave.hidden = !connected;
      for (const card of shown) card.update();
    },
  };
}
