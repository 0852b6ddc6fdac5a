// The endpoint explorer: the list of all endpoints with a search, and a panel to try one of them.

import { createConnections } from '../shared/connections.js';
import { createConsents } from '../shared/consent.js';
import { element, tryAgain } from '../shared/elements.js';
import { errorText } from '../shared/errors.js';
import { listenForConsents } from '../shared/consent-messages.js';
import { createEndpointList } from './endpoint-list.js';
import { createEndpointPanel } from './endpoint-panel.js';
import { endpointNamed } from './endpoint-search.js';
import { readEndpoints } from '../page/readings.js';
import { hrefOf } from '../page/route.js';
import { createAllowedPanel } from '../widgets/allowed-panel.js';
import { createSessionApprovals } from '../widgets/session-approvals.js';

/** @typedef {import('./endpoint-search.js').Endpoint} Endpoint */
/** @typedef {import('../shared/schema-fields.js').JsonSchema} JsonSchema */

const CHOOSE = 'Choose an endpoint to see its parameters, its price and its answer.';

/** @param {import('../page/view.js').ViewContext} context @returns {import('../page/view.js').View} */
export function createExplorerView(context) {
  const { transport, drafts, socket } = context;
  const connections = createConnections(transport);
  const consents = createConsents({ transport, connections });
  const stopListening = listenForConsents(consents.receive);
  const sessions = createSessionApprovals();
  const allowed = createAllowedPanel(sessions);
  const list = createEndpointList({ drafts, foot: allowed.node });
  const message = element('p', {});
  const retry = element('button', { type: 'button', class: 'quiet', on: { click: () => tryAgain(load, retry, list.focus) } }, 'Try again');
  const notice = element('div', { class: 'notice', role: 'alert', hidden: true }, message, retry);
  const place = element('div', { class: 'endpoint-place' });
  const panes = element('div', { class: 'explorer-panes' }, list.node, place);
  const node = element('div', { class: 'explorer-view' }, element('h2', { class: 'visually-hidden' }, 'Explorer'), notice, panes);
  /** @type {Endpoint[] | null} */
  let endpoints = null;
  /** @type {Record<string, JsonSchema>} */
  let schemas = {};
  /** @type {Map<string, {panel: ReturnType<typeof createEndpointPanel>, declaration: string}>} kept, so that a running job is still polled */
  const panels = new Map();
  let name = '';
  let isOld = false; // whether the service may have been restarted with other endpoints since they were read
  let stopped = false;

  async function load() {
    notice.hidden = true;
    isOld = false;
    try {
      const [catalog, routes] = await Promise.all([readEndpoints(transport), transport.get('/api/integrations/routes-schema')]);
      if (stopped) return;
      const isSame = JSON.stringify(catalog) === JSON.stringify(endpoints);
      endpoints = catalog;
      schemas = routes.properties;
      if (!isSame) list.fill(catalog);
    } catch (error) {
      if (stopped) return;
      message.textContent = errorText(error);
      notice.hidden = false;
    }
    render();
  }

  function render() {
    const endpoint = endpoints && endpointNamed(endpoints, name);
    panes.dataset.open = String(Boolean(name));
    list.open(endpoint?.name ?? '');
    const content = endpoint ? panelOf(endpoint).node : createAdvice();
    if (place.firstChild !== content) {
      place.replaceChildren(content);
      place.scrollTop = 0;
    }
    context.onTitle();
  }

  function createAdvice() {
    if (!endpoints) return element('p', { class: 'empty' }, notice.hidden ? 'Loading…' : '');
    if (!name) return element('p', { class: 'page-note' }, CHOOSE);
    const all = element('a', { href: hrefOf('explorer') }, 'See all endpoints');
    return element('p', { class: 'page-note' }, `This server has no endpoint “${name}”. `, all);
  }

  /** The panel of an endpoint. If the endpoint has changed, it is a new one with the same draft. @param {Endpoint} endpoint */
  function panelOf(endpoint) {
    const schema = schemas[endpoint.name] ?? { type: 'object' };
    const declaration = JSON.stringify([endpoint, schema]);
    const known = panels.get(endpoint.name);
    if (known?.declaration === declaration) return known.panel;
    known?.panel.stop();
    const panel = createEndpointPanel(endpoint, schema, { ...context, connections, consents, sessions });
    panels.set(endpoint.name, { panel, declaration });
    return panel;
  }

  function watch() {
    if (socket.phase === 'waiting') isOld = true;
    readAgain();
  }

  /** Reads the endpoints after an outage: at once if a reading has failed, and otherwise when this view is shown. */
  function readAgain() {
    if (socket.phase === 'open' && (!notice.hidden || (isOld && node.isConnected))) load();
  }

  const stopWatching = socket.onPhase(watch);
  load();
  return {
    node,
    get title() {
      return name || 'Explorer';
    },
    show(id) {
      name = id ?? '';
      render();
      readAgain();
    },
    refresh: () => void (endpoints ? null : load()),
    focus: () => list.focus(),
    stop() {
      stopped = true;
      stopWatching();
      stopListening();
      allowed.stop();
      consents.stop();
      for (const { panel } of panels.values()) panel.stop();
    },
  };
}
